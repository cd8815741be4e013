; Ends Mediatray before its files are replaced. Adds "Open with" for each supported file type and "Send to" for this user. Mediatray becomes one more choice, never the
; default.

; electron-builder's own check, which is used below, needs these.
!include "getProcessInfo.nsh"
Var pid

; Before its files are replaced or removed, asks Mediatray to end: the app, or the process that works for commands. It saves its work, and ends
; commands with a message. Otherwise electron-builder's check, which follows, would kill every process of this folder. An update
; starts this installer before the app has quit, so wait for it.
!macro customCheckAppRunning
  !insertmacro IS_POWERSHELL_AVAILABLE
  ${if} ${FileExists} "$INSTDIR\resources\node.exe"
    !insertmacro FIND_PROCESS "${APP_EXECUTABLE_FILENAME}" $R0
    ${if} $R0 == 0
      ${ifNot} ${isUpdated}
        MessageBox MB_OKCANCEL|MB_ICONEXCLAMATION "$(appRunning)" /SD IDOK IDOK mediatrayAsk
        Quit
      ${endIf}
      mediatrayAsk:
      nsExec::Exec /TIMEOUT=25000 `"$INSTDIR\resources\node.exe" --disable-sigusr1 --disable-proto=delete "$INSTDIR\resources\app.asar.unpacked\dist\cli\mediatray.js" --end-for-update`
      Pop $R0
      ${ForEach} $R1 1 15 + 1
        !insertmacro FIND_PROCESS "${APP_EXECUTABLE_FILENAME}" $R0
        ${if} $R0 != 0
          ${ExitFor}
        ${endIf}
        Sleep 1000
      ${Next}
    ${endIf}
  ${endIf}
  !insertmacro _CHECK_APP_RUNNING
!macroend

!macro mediatrayOffer EXT
  WriteRegStr SHCTX "Software\Classes\.${EXT}\OpenWithProgids" "Mediatray.Media" ""
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\SupportedTypes" ".${EXT}" ""
!macroend

!macro mediatrayWithdraw EXT
  DeleteRegValue SHCTX "Software\Classes\.${EXT}\OpenWithProgids" "Mediatray.Media"
!macroend

; Keep in step with src/shared/media-types.ts.
!macro mediatrayForEach DO
  !insertmacro ${DO} "jpg"
  !insertmacro ${DO} "jpeg"
  !insertmacro ${DO} "png"
  !insertmacro ${DO} "webp"
  !insertmacro ${DO} "heic"
  !insertmacro ${DO} "bmp"
  !insertmacro ${DO} "tiff"
  !insertmacro ${DO} "mp4"
  !insertmacro ${DO} "mov"
  !insertmacro ${DO} "avi"
  !insertmacro ${DO} "mkv"
  !insertmacro ${DO} "webm"
  !insertmacro ${DO} "m4v"
  !insertmacro ${DO} "tif"
  !insertmacro ${DO} "jfif"
  !insertmacro ${DO} "jpe"
  !insertmacro ${DO} "heif"
  !insertmacro ${DO} "hif"
  !insertmacro ${DO} "qt"
  !insertmacro ${DO} "avif"
  !insertmacro ${DO} "jxl"
  !insertmacro ${DO} "gif"
!macroend

; The types in the starred presets' submenu. Keep in step with src/shared/media-types.ts.
!macro mediatrayForEachPreset DO
  !insertmacro ${DO} "jpg"
  !insertmacro ${DO} "jpeg"
  !insertmacro ${DO} "jpe"
  !insertmacro ${DO} "jfif"
  !insertmacro ${DO} "png"
  !insertmacro ${DO} "webp"
  !insertmacro ${DO} "heic"
  !insertmacro ${DO} "heif"
  !insertmacro ${DO} "hif"
  !insertmacro ${DO} "bmp"
  !insertmacro ${DO} "tiff"
  !insertmacro ${DO} "tif"
  !insertmacro ${DO} "gif"
  !insertmacro ${DO} "avif"
  !insertmacro ${DO} "jxl"
  !insertmacro ${DO} "mp4"
  !insertmacro ${DO} "mov"
  !insertmacro ${DO} "qt"
  !insertmacro ${DO} "avi"
  !insertmacro ${DO} "mkv"
  !insertmacro ${DO} "webm"
  !insertmacro ${DO} "m4v"
!macroend

!macro mediatrayRemovePresets EXT
  DeleteRegKey HKCU "Software\Classes\SystemFileAssociations\.${EXT}\shell\Mediatray.Presets"
!macroend

; Removes the entries for starred presets, which the app writes. The app lists its shortcuts, because others may have similar names.
!macro mediatrayRemoveStarred
  StrCpy $R0 0
  mediatrayNextShortcut:
    ClearErrors
    EnumRegValue $R1 HKCU "Software\Classes\Mediatray.Presets\SendTo" $R0
    IfErrors mediatrayNoShortcut
    StrCmp $R1 "" mediatrayNoShortcut
    ReadRegStr $R2 HKCU "Software\Classes\Mediatray.Presets\SendTo" $R1
    StrCmp $R2 "" +2
      Delete "$SENDTO\$R2"
    IntOp $R0 $R0 + 1
    Goto mediatrayNextShortcut
  mediatrayNoShortcut:
  !insertmacro mediatrayForEachPreset mediatrayRemovePresets
  DeleteRegKey HKCU "Software\Classes\Directory\shell\Mediatray.Presets"
  DeleteRegKey HKCU "Software\Classes\Mediatray.Presets"
  DeleteRegKey HKCU "Software\Classes\Mediatray.Presets.Photos"
  DeleteRegKey HKCU "Software\Classes\Mediatray.Presets.Videos"
  DeleteRegKey HKCU "Software\Classes\Mediatray.Presets.Folders"
!macroend

; Explorer caches file types until it is notified of a change (SHCNE_ASSOCCHANGED).
!macro mediatrayNotifyExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, i 0, i 0)'
!macroend

!macro mediatrayRemoveEntries
  !insertmacro mediatrayForEach mediatrayWithdraw
  DeleteRegKey SHCTX "Software\Classes\Mediatray.Media"
  DeleteRegKey SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  Delete "$SENDTO\Mediatray.lnk"
!macroend

!macro customInstall
  ; The entries of an earlier version, which may have offered other file types.
  !insertmacro mediatrayRemoveEntries
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media" "" "Photo or video"
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media\DefaultIcon" "" "$appExe,0"
  ; Without this, the verb disappears when more than 15 files are selected.
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media\shell\open" "MultiSelectModel" "Player"
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media\shell\open\command" "" '"$appExe" "%1"'
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}" "FriendlyAppName" "Mediatray"
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\shell\open" "MultiSelectModel" "Player"
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\shell\open\command" "" '"$appExe" "%1"'
  !insertmacro mediatrayForEach mediatrayOffer
  CreateShortCut "$SENDTO\Mediatray.lnk" "$appExe"
  !insertmacro mediatrayNotifyExplorer
!macroend

; An update also runs this uninstaller, before it replaces the files. It keeps the user's choices to start at login and to star presets. It
; also keeps the entries, because the earlier version stays if a file can't be replaced. The new version writes them again.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    !insertmacro mediatrayRemoveEntries
    ; The app itself writes these, for its links and its notifications (TOAST_ACTIVATOR in src/main/desktop/bootstrap.ts).
    DeleteRegKey HKCU "Software\Classes\mediatray"
    DeleteRegKey HKCU "Software\Classes\CLSID\{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}"
    !insertmacro mediatrayRemoveStarred
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
    !insertmacro mediatrayNotifyExplorer
  ${endIf}
!macroend
