; Adds "Open with" for each supported file type and "Send to" for this user. Mediatray becomes one more choice, never the
; default.

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

!macro customInstall
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

!macro customUnInstall
  !insertmacro mediatrayForEach mediatrayWithdraw
  DeleteRegKey SHCTX "Software\Classes\Mediatray.Media"
  DeleteRegKey SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  ; The app itself writes these, for its links and its notifications (TOAST_ACTIVATOR in src/main/desktop/bootstrap.ts).
  DeleteRegKey HKCU "Software\Classes\mediatray"
  DeleteRegKey HKCU "Software\Classes\CLSID\{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}"
  ; The user's choices to start at login and to star presets. An update also runs this uninstaller and must keep them.
  ${ifNot} ${isUpdated}
    !insertmacro mediatrayRemoveStarred
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
  ${endIf}
  Delete "$SENDTO\Mediatray.lnk"
  !insertmacro mediatrayNotifyExplorer
!macroend
