! SPDX-License-Identifier: Apache-2.0
!
! exactdot for Fortran 2018: exact sums, dots, norms, means and variances of this process or of all processes of a
! communicator, accumulators that travel, and a reproducible sum in the call shape of climate codes. docs/mpi.md is the
! guide, docs/contract.md the promise: no number of processes and no partition changes a bit.
!
! Arrays of real32 or real64. A communicator is an integer handle (mpi, mpif.h); of mpi_f08 pass comm%mpi_val. `stat` is 0
! or the xd_status of an error, whose sentence exact_message() has; without `stat` an error ends the program by error stop.
! Calls with a communicator are collective, and all processes return the same status.
module exactdot
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_float, c_ptr, c_null_ptr, c_loc, c_char, &
    c_associated
  use exactdot_bindings
  implicit none
  private
  public :: exact_sum, exact_asum, exact_sum_of_squares, exact_nrm2, exact_mean, exact_variance, exact_stddev, exact_dot
  public :: exact_sum_calc, exact_message, accumulator, allreduce

  ! An exact sum of real64 numbers or products. Assignment copies it; it is destroyed when it goes out of scope.
  type :: accumulator
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: add => add_values          ! call sum%add(x): every x(i)
    procedure :: add_products               ! call sum%add_products(a, b): every a(i)*b(i)
    procedure :: add_squares                ! call sum%add_squares(x): every x(i)**2
    procedure :: round => round_sum         ! sum%round(): the sum, rounded once
    procedure :: round_root                 ! its root, rounded once
    procedure :: clear
    procedure, private :: copy
    generic :: assignment(=) => copy
    final :: destroy
  end type accumulator

  ! exact_sum(x [, comm] [, stat]) and its like: of x on this process or, with a communicator, on all of them.
  ! exact_variance(x [, comm] [, ddof] [, stat]); exact_dot(a, b [, comm] [, stat]).
  interface exact_sum
    procedure sum_32, sum_64
  end interface
  interface exact_asum
    procedure asum_32, asum_64
  end interface
  interface exact_sum_of_squares
    procedure sum_of_squares_32, sum_of_squares_64
  end interface
  interface exact_nrm2
    procedure nrm2_32, nrm2_64
  end interface
  interface exact_mean
    procedure mean_32, mean_64
  end interface
  interface exact_variance
    procedure variance_32, variance_64
  end interface
  interface exact_stddev
    procedure stddev_32, stddev_64
  end interface
  interface exact_dot
    procedure dot_32, dot_64
  end interface

  ! call allreduce(sums, comm [, stat]): each accumulator becomes its sum over all processes. One or an array of them.
  interface allreduce
    procedure allreduce_one, allreduce_many
  end interface

contains

  ! The sentence of the last error of this thread.
  function exact_message() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char) :: buffer(1024)
    integer :: i
    call xd_fortran_message(buffer, 1024_c_int64_t)
    allocate(character(len=1024) :: text)
    do i = 1, 1024
      text(i:i) = buffer(i)
    end do
    text = trim(text)
  end function

  ! Stores the status, or ends the program if there is an error and nobody asked.
  subroutine report(status, stat)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    if (present(stat)) then
      stat = status
    else if (status /= 0) then
      error stop exact_message()
    end if
  end subroutine

  ! ---- Reductions ----

  subroutine reduce_64(reduction, a, b, ddof, comm, stat, result)
    integer(c_int), intent(in) :: reduction
    real(c_double), intent(in), contiguous, target :: a(:), b(:)
    integer, intent(in), optional :: ddof, comm
    integer, intent(out), optional :: stat
    real(c_double), intent(out), target :: result
    integer(c_int64_t) :: correction
    correction = 0
    result = 0
    if (present(ddof)) correction = ddof
    if (present(comm)) then
      call report(xd_fortran_reduce(reduction, float64, c_loc(a), c_loc(b), size(a, kind=c_int64_t), &
        size(b, kind=c_int64_t), correction, 1_c_int, int(comm, c_int), c_loc(result)), stat)
    else
      call report(xd_fortran_reduce(reduction, float64, c_loc(a), c_loc(b), size(a, kind=c_int64_t), &
        size(b, kind=c_int64_t), correction, 0_c_int, 0_c_int, c_loc(result)), stat)
    end if
  end subroutine

  subroutine reduce_32(reduction, a, b, ddof, comm, stat, result)
    integer(c_int), intent(in) :: reduction
    real(c_float), intent(in), contiguous, target :: a(:), b(:)
    integer, intent(in), optional :: ddof, comm
    integer, intent(out), optional :: stat
    real(c_float), intent(out), target :: result
    integer(c_int64_t) :: correction
    correction = 0
    result = 0
    if (present(ddof)) correction = ddof
    if (present(comm)) then
      call report(xd_fortran_reduce(reduction, float32, c_loc(a), c_loc(b), size(a, kind=c_int64_t), &
        size(b, kind=c_int64_t), correction, 1_c_int, int(comm, c_int), c_loc(result)), stat)
    else
      call report(xd_fortran_reduce(reduction, float32, c_loc(a), c_loc(b), size(a, kind=c_int64_t), &
        size(b, kind=c_int64_t), correction, 0_c_int, 0_c_int, c_loc(result)), stat)
    end if
  end subroutine

  function sum_32(x, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_sum, x, x, comm=comm, stat=stat, result=value)
  end function

  function sum_64(x, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_sum, x, x, comm=comm, stat=stat, result=value)
  end function

  function asum_32(x, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_asum, x, x, comm=comm, stat=stat, result=value)
  end function

  function asum_64(x, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_asum, x, x, comm=comm, stat=stat, result=value)
  end function

  function sum_of_squares_32(x, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_sum_of_squares, x, x, comm=comm, stat=stat, result=value)
  end function

  function sum_of_squares_64(x, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_sum_of_squares, x, x, comm=comm, stat=stat, result=value)
  end function

  function nrm2_32(x, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_nrm2, x, x, comm=comm, stat=stat, result=value)
  end function

  function nrm2_64(x, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_nrm2, x, x, comm=comm, stat=stat, result=value)
  end function

  function mean_32(x, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_mean, x, x, comm=comm, stat=stat, result=value)
  end function

  function mean_64(x, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_mean, x, x, comm=comm, stat=stat, result=value)
  end function

  function variance_32(x, comm, ddof, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm, ddof
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_variance, x, x, ddof, comm, stat, value)
  end function

  function variance_64(x, comm, ddof, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm, ddof
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_variance, x, x, ddof, comm, stat, value)
  end function

  function stddev_32(x, comm, ddof, stat) result(value)
    real(c_float), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm, ddof
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_stddev, x, x, ddof, comm, stat, value)
  end function

  function stddev_64(x, comm, ddof, stat) result(value)
    real(c_double), intent(in), contiguous :: x(:)
    integer, intent(in), optional :: comm, ddof
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_stddev, x, x, ddof, comm, stat, value)
  end function

  function dot_32(a, b, comm, stat) result(value)
    real(c_float), intent(in), contiguous :: a(:), b(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_float) :: value
    call reduce_32(xd_dot, a, b, comm=comm, stat=stat, result=value)
  end function

  function dot_64(a, b, comm, stat) result(value)
    real(c_double), intent(in), contiguous :: a(:), b(:)
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: stat
    real(c_double) :: value
    call reduce_64(xd_dot, a, b, comm=comm, stat=stat, result=value)
  end function

  ! ---- The call shape of climate codes ----

  ! arr_gsum(i) = the sum of arr(1:nsummands, i) over all processes, for i = 1 ... nflds, rounded once.
  !
  ! arr has dsummands rows, of which this process uses nsummands >= 0; nflds is the same on all processes. check: compare
  ! nflds over the processes first. Fields that hold infinities or NaNs give infinities or NaNs. Cost: one pass over arr,
  ! and one collective of 24 bytes a field.
  subroutine exact_sum_calc(arr, arr_gsum, nsummands, dsummands, nflds, commid, check, stat)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(c_double), intent(in), target :: arr(dsummands, nflds)
    real(c_double), intent(out), target :: arr_gsum(nflds)
    integer, intent(in) :: commid
    logical, intent(in), optional :: check
    integer, intent(out), optional :: stat
    integer(c_int) :: compares
    compares = 0
    if (present(check)) then
      if (check) compares = 1
    end if
    call report(xd_fortran_fields(float64, c_loc(arr), int(nsummands, c_int64_t), int(dsummands, c_int64_t), &
      int(nflds, c_int64_t), int(commid, c_int), compares, c_loc(arr_gsum)), stat)
  end subroutine

  ! ---- Accumulators ----

  subroutine ready(sum, status)
    class(accumulator), intent(inout) :: sum
    integer(c_int), intent(out) :: status
    status = 0
    if (.not. c_associated(sum%handle)) status = xd_accumulator_create(float64, sum%handle)
  end subroutine

  subroutine add_values(sum, x, stat)
    class(accumulator), intent(inout) :: sum
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    call ready(sum, status)
    if (status == 0) status = xd_fortran_add(sum%handle, float64, c_loc(x), c_null_ptr, size(x, kind=c_int64_t), &
      0_c_int64_t, 0_c_int)
    call report(status, stat)
  end subroutine

  subroutine add_squares(sum, x, stat)
    class(accumulator), intent(inout) :: sum
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    call ready(sum, status)
    if (status == 0) status = xd_fortran_add(sum%handle, float64, c_loc(x), c_null_ptr, size(x, kind=c_int64_t), &
      0_c_int64_t, 1_c_int)
    call report(status, stat)
  end subroutine

  subroutine add_products(sum, a, b, stat)
    class(accumulator), intent(inout) :: sum
    real(c_double), intent(in), contiguous, target :: a(:), b(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    call ready(sum, status)
    if (status == 0) status = xd_fortran_add(sum%handle, float64, c_loc(a), c_loc(b), size(a, kind=c_int64_t), &
      size(b, kind=c_int64_t), 0_c_int)
    call report(status, stat)
  end subroutine

  function round_sum(sum, stat) result(value)
    class(accumulator), intent(inout) :: sum
    integer, intent(out), optional :: stat
    real(c_double) :: value
    integer(c_int) :: status
    value = 0
    call ready(sum, status)
    if (status == 0) status = xd_accumulator_round(sum%handle, float64, value)
    call report(status, stat)
  end function

  function round_root(sum, stat) result(value)
    class(accumulator), intent(inout) :: sum
    integer, intent(out), optional :: stat
    real(c_double) :: value
    integer(c_int) :: status
    value = 0
    call ready(sum, status)
    if (status == 0) status = xd_accumulator_round_root(sum%handle, float64, value)
    call report(status, stat)
  end function

  subroutine clear(sum)
    class(accumulator), intent(inout) :: sum
    integer(c_int) :: status
    status = 0
    if (c_associated(sum%handle)) status = xd_accumulator_clear(sum%handle)
    call report(status)
  end subroutine

  subroutine copy(to, from)
    class(accumulator), intent(inout) :: to
    type(accumulator), intent(in) :: from
    type(c_ptr) :: made
    integer(c_int) :: status
    made = c_null_ptr
    status = 0
    if (c_associated(from%handle)) status = xd_accumulator_copy(from%handle, made)
    call xd_accumulator_destroy(to%handle)
    to%handle = made
    call report(status)
  end subroutine

  impure elemental subroutine destroy(sum)
    type(accumulator), intent(inout) :: sum
    call xd_accumulator_destroy(sum%handle)
    sum%handle = c_null_ptr
  end subroutine

  subroutine allreduce_many(sums, comm, stat)
    type(accumulator), intent(inout) :: sums(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: stat
    type(c_ptr) :: handles(size(sums))
    integer(c_int) :: status
    integer :: i
    do i = 1, size(sums)
      call ready(sums(i), status)  ! a null handle after a failure is told to all
      handles(i) = sums(i)%handle
    end do
    call report(xd_fortran_allreduce(handles, size(sums, kind=c_int64_t), int(comm, c_int)), stat)
  end subroutine

  subroutine allreduce_one(sum, comm, stat)
    type(accumulator), intent(inout) :: sum
    integer, intent(in) :: comm
    integer, intent(out), optional :: stat
    type(c_ptr) :: handles(1)
    integer(c_int) :: status
    call ready(sum, status)
    handles(1) = sum%handle
    call report(xd_fortran_allreduce(handles, 1_c_int64_t, int(comm, c_int)), stat)
  end subroutine
end module exactdot
