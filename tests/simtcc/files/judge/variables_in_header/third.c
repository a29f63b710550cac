int third(void) {
  int class = 30, *x = (void *)&class;
  return *x;
}
