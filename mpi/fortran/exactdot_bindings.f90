! SPDX-License-Identifier: Apache-2.0
!
! The C functions and constants that the modules of exactdot use: those of exactdot_fortran.c and of exactdot.h; and what
! becomes of a status.
module exactdot_bindings
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_char
  implicit none
  public

  integer(c_int), parameter :: float32 = 0, float64 = 1, complex64 = 64, complex128 = 65
  integer(c_int), parameter :: xd_dot = 0, xd_sum = 1, xd_asum = 2, xd_sum_of_squares = 3, xd_nrm2 = 4, xd_mean = 5, &
    xd_variance = 6, xd_stddev = 7

  interface
    integer(c_int) function xd_fortran_reduce(reduction, type, result_type, a, b, n_a, n_b, ddof, conjugate, distributed, &
      comm, result) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: reduction, type, result_type, conjugate, distributed, comm
      type(c_ptr), value :: a, b, result
      integer(c_int64_t), value :: n_a, n_b, ddof
    end function
    integer(c_int) function xd_fortran_fields(type, values, n, leading, fields, comm, check, sums) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: type, comm, check
      integer(c_int64_t), value :: n, leading, fields
      type(c_ptr), value :: values, sums
    end function
    integer(c_int) function xd_fortran_add(accumulator, type, a, b, n_a, n_b, squares) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: accumulator, a, b
      integer(c_int), value :: type, squares
      integer(c_int64_t), value :: n_a, n_b
    end function
    integer(c_int) function xd_fortran_allreduce(accumulators, k, comm) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: accumulators(*)
      integer(c_int64_t), value :: k
      integer(c_int), value :: comm
    end function
    subroutine xd_fortran_message(text, length) bind(c)
      import :: c_char, c_int64_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: length
    end subroutine
    integer(c_int) function xd_accumulator_create(type, accumulator) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: type
      type(c_ptr), intent(out) :: accumulator
    end function
    integer(c_int) function xd_accumulator_copy(accumulator, copy) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: accumulator
      type(c_ptr), intent(out) :: copy
    end function
    subroutine xd_accumulator_destroy(accumulator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: accumulator
    end subroutine
    integer(c_int) function xd_accumulator_clear(accumulator) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: accumulator
    end function
    integer(c_int) function xd_accumulator_round(accumulator, type, result) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: accumulator
      integer(c_int), value :: type
      real(c_double), intent(inout) :: result
    end function
    integer(c_int) function xd_accumulator_round_root(accumulator, type, result) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: accumulator
      integer(c_int), value :: type
      real(c_double), intent(inout) :: result
    end function
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
end module exactdot_bindings
