# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SOFTCAP_PYTHON: a python3 that has numpy. The first on PATH need not have it.
foreach(candidate python3 /usr/bin/python3)
  if(NOT SOFTCAP_PYTHON)
    execute_process(COMMAND ${candidate} -c "import numpy, sys; print(sys.executable)"
      RESULT_VARIABLE status OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(SOFTCAP_PYTHON ${python} CACHE FILEPATH "A python3 with numpy, for tests and demo")
    endif()
  endif()
endforeach()
if(NOT SOFTCAP_PYTHON)
  message(FATAL_ERROR "no python3 with numpy: run utils/install-deps.sh, or set SOFTCAP_PYTHON")
endif()
