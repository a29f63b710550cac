! SPDX-License-Identifier: Apache-2.0
!
! exactdot for Fortran 2018: exact sums, dots, norms, means and variances of this process or of all processes of a
! communicator, accumulators that travel, and a reproducible sum in the call shape of climate codes. docs/mpi.md is the
! guide, docs/contract.md the promise: no number of processes and no partition changes a bit.
!
! Arrays of real32 or real64, and complex arrays of these kinds, which have all but variances: of them exact_dot(a, b) is the
! sum of a*b, exact_vdot(a, b), also exact_dot_product, that of conjg(a)*b, as Fortran's dot_product is. A communicator is an
! integer handle (mpi, mpif.h); of mpi_f08 pass comm%mpi_val. `stat` is 0 or the xd_status of an error, whose sentence
! exact_message() has; without `stat` an error ends the program by error stop. Calls with a communicator are collective,
! and all processes return the same status.
module exactdot
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_loc
  use exactdot_bindings, only: exact_message, float64, report, xd_fortran_fields
  use exactdot_real32
  use exactdot_real64
  use exactdot_complex32
  use exactdot_complex64
  use exactdot_accumulators
  implicit none
  private
  public :: exact_sum, exact_asum, exact_sum_of_squares, exact_nrm2, exact_mean, exact_variance, exact_stddev, exact_dot
  public :: exact_vdot, exact_dot_product, exact_norm, exact_var, exact_std
  public :: exact_sum_calc, exact_message, accumulator, allreduce

contains

  ! The call shape of climate codes.
  !
  ! arr_gsum(i) = the sum of arr(1:nsummands, i) over all processes, for i = 1 ... nflds, rounded once.
  !
  ! arr has dsummands rows, of which this process uses nsummands >= 0; nflds is the same on all processes. check: compare
  ! nflds over the processes first. Fields that hold infinities or NaNs give infinities or NaNs. Cost: one pass over arr,
  ! and one collective of 16 bytes a field.
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
end module exactdot
