# The Debian package, where there are tools to make one.

test_package() {
  local root=$here/../..
  command -v dpkg-shlibdeps >/dev/null && [ -x "$root/build/clew" ] || return 0
  # Nobody says who makes it: no identity of git, no DEBEMAIL.
  env -u DEBEMAIL -u DEBFULLNAME HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 "$root/packaging/deb" 1.2.3 "$PWD/clew.deb" >out 2>err
  status=$?
  expect_status 0
  dpkg-deb -f clew.deb Version | grep -qx '1\.2\.3' || give_up "another version"
  dpkg-deb -f clew.deb Maintainer | grep -qx 'The clew authors <authors@clew\.invalid>' || give_up "another maintainer"
  dpkg-deb -f clew.deb Depends | grep -q 'libc6' || give_up "it depends on nothing"
  dpkg-deb -x clew.deb files
  files/usr/bin/clew check files/usr/share/doc/clew/examples/peterson.m --quiet >out 2>err
  status=$?
  expect_status 0
  expect_file files/usr/share/man/man1/clew.1.gz
  if command -v lintian >/dev/null 2>&1; then
    LINTIAN_PROFILE=debian lintian --allow-root --fail-on error clew.deb >out 2>err || give_up "lintian has errors"
  fi
}
