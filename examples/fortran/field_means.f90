! Global sums of three fields of a model and their means, with the same bits for any number of processes, in the call
! shape of climate codes; and a sum that grows step by step.
!
! docs/mpi.md says how to compile it with the sources of the module exactdot; then mpirun -n 4 ./field_means
program field_means
  use, intrinsic :: iso_fortran_env, only: real64
  use exactdot
  use mpi
  implicit none
  integer, parameter :: cells = 1000, fields = 3
  real(real64) :: values(cells, fields), sums(fields), weight
  type(accumulator) :: energy
  integer :: rank, processes, code, i, n

  call mpi_init(code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, processes, code)

  n = 0  ! cells of this process: every processes-th
  do i = rank + 1, cells, processes
    n = n + 1
    weight = modulo(37 * i, 101) / 101.0_real64
    values(n, 1) = weight
    values(n, 2) = weight * 288.15_real64
    values(n, 3) = weight  ! the third field has large terms between weights, which a plain sum would lose
    if (modulo(i, 4) == 0) values(n, 3) = 1e18_real64
    if (modulo(i, 4) == 2) values(n, 3) = -1e18_real64
  end do

  call exact_sum_calc(values, sums, n, cells, fields, commid=mpi_comm_world)

  call energy%add_products(values(:n, 1), values(:n, 2))
  call allreduce(energy, mpi_comm_world)

  if (rank == 0) then
    print '(a,3(1x,es24.16))', 'sums  ', sums
    print '(a,1x,es24.16)', 'mean  ', sums(2) / sums(1)
    print '(a,1x,es24.16)', 'energy', energy%round()
  end if
  call mpi_finalize(code)
end program
