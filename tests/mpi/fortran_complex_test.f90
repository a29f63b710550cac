! Complex arrays of the Fortran module: results of this process against real calls on their parts, results of distributed
! data against those of this process, by bits; ties, cancellation, infinities and NaN, no numbers, errors. --drop: every
! process but the last drops the first of its numbers, which must be noticed.
module complex_test_support
  implicit none
  public
  integer :: rank = 0, failures = 0

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a,i0,a,a)', 'rank ', rank, ': ', what
  end subroutine
end module complex_test_support

module checks_of_real32
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: real_kind => real32, int32, int64
  use complex_test_support, only: expect, rank
  use exactdot
  implicit none
  include 'fortran_complex_checks.inc'
end module checks_of_real32

module checks_of_real64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: real_kind => real64, int32, int64
  use complex_test_support, only: expect, rank
  use exactdot
  implicit none
  include 'fortran_complex_checks.inc'
end module checks_of_real64

program fortran_complex_test
  use checks_of_real32, only: check_parts_32 => check_parts, check_shares_32 => check_shares, &
    check_special_32 => check_special, check_errors_32 => check_errors
  use checks_of_real64
  use complex_test_support, only: rank, failures
  use mpi
  implicit none
  integer, parameter :: lengths(5) = [0, 1, 77, 700, 3000]
  integer :: processes, code, all_failures, i, first
  character(len=6) :: argument

  call mpi_init(code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, processes, code)
  call get_command_argument(1, argument)
  first = rank + 1
  if (argument == '--drop' .and. rank /= processes - 1) first = first + processes
  do i = 1, size(lengths)
    call check_parts(lengths(i))
    call check_parts_32(lengths(i))
    call check_shares(lengths(i), first, processes, mpi_comm_world)
    call check_shares_32(lengths(i), first, processes, mpi_comm_world)
    ! the last process has all
    call check_shares(lengths(i), merge(1, lengths(i) + 1, rank == processes - 1), 1, mpi_comm_world)
    call check_shares_32(lengths(i), merge(1, lengths(i) + 1, rank == processes - 1), 1, mpi_comm_world)
  end do
  call check_special(mpi_comm_world)
  call check_special_32(mpi_comm_world)
  call check_errors(processes, mpi_comm_world, mpi_comm_null)
  call check_errors_32(processes, mpi_comm_world, mpi_comm_null)
  call mpi_allreduce(failures, all_failures, 1, mpi_integer, mpi_sum, mpi_comm_world, code)
  if (rank == 0) print '(a,i0,a,i0,a)', 'fortran: ', processes, ' ranks, ', all_failures, ' failures'
  call mpi_finalize(code)
  if (all_failures /= 0) error stop 1
end program
