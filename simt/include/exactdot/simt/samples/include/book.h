// Stand-in: see ../common/book.h.
#pragma once
#include "../common/book.h"
