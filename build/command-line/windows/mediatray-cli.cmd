@rem Runs Mediatray's command line on the bundled Node.
@setlocal
@set NODE_OPTIONS=
@set NODE_PATH=
@"%~dp0..\node.exe" --disable-sigusr1 --disable-proto=delete "%~dp0..\app.asar.unpacked\dist\cli\mediatray.js" %*
