! SPDX-License-Identifier: Apache-2.0
!
! Accumulators of real64: exact sums that grow, are copied, travel over the processes of a communicator, and are rounded
! once. An object of the C interface behind a handle; some 1.1 KiB each.
module exactdot_accumulators
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_null_ptr, c_loc, c_associated
  use exactdot_bindings
  implicit none
  private
  public :: accumulator, allreduce

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

  ! call allreduce(sums, comm [, stat]): each accumulator becomes its sum over all processes. One or an array of them.
  interface allreduce
    procedure allreduce_one, allreduce_many
  end interface

contains

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
end module exactdot_accumulators
