# Installs the port of `source` by the vcpkg of VCPKG_ROOT, with its own checks, below `directory`, and builds and runs the
# consumer with it. Eigen is this machine's: nothing is downloaded.
set(root $ENV{VCPKG_ROOT})
if(root)
  find_program(vcpkg vcpkg PATHS ${root} NO_DEFAULT_PATH)
endif()
if(NOT vcpkg)
  message("skipped: no vcpkg in VCPKG_ROOT (git clone https://github.com/microsoft/vcpkg, run its bootstrap-vcpkg.sh, and set VCPKG_ROOT to it)")
  return()
endif()
file(REMOVE_RECURSE ${directory})
set(ENV{VCPKG_FORCE_SYSTEM_BINARIES} 1)
set(ENV{VCPKG_DISABLE_METRICS} 1)
# What the ports may see of the environment.
set(ENV{VCPKG_KEEP_ENV_VARS} "EIGEN_INCLUDE;EIGEN_VERSION")
set(ENV{EIGEN_INCLUDE} ${eigen_include})
set(ENV{EIGEN_VERSION} ${eigen_version})
set(ENV{CXX} ${compiler})
set(ENV{CXXFLAGS})
execute_process(COMMAND ${vcpkg} install bellamy --classic --enforce-port-checks --binarysource=clear
                        --overlay-ports=${source}/ports --overlay-ports=${source}/system
                        --x-install-root=${directory}/installed --x-buildtrees-root=${directory}/buildtrees
                        --x-packages-root=${directory}/packages
                WORKING_DIRECTORY ${source} COMMAND_ERROR_IS_FATAL ANY)
foreach(manifest IN ITEMS ports/bellamy consumer system/eigen3)
  file(COPY ${source}/${manifest}/vcpkg.json DESTINATION ${directory}/manifest)
  execute_process(COMMAND ${vcpkg} format-manifest ${directory}/manifest/vcpkg.json COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${source}/${manifest}/vcpkg.json found)
  file(READ ${directory}/manifest/vcpkg.json wanted)
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "expected ${manifest}/vcpkg.json as format-manifest writes it:\n${wanted}")
  endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source}/consumer -B ${directory}/consumer -DVCPKG_MANIFEST_MODE=OFF
                        -DCMAKE_TOOLCHAIN_FILE=${root}/scripts/buildsystems/vcpkg.cmake
                        -DVCPKG_INSTALLED_DIR=${directory}/installed
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${directory}/consumer/consumer COMMAND_ERROR_IS_FATAL ANY)
