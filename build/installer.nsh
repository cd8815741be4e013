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
!macroend

; Explorer caches file types until it is notified of a change (SHCNE_ASSOCCHANGED).
!macro mediatrayNotifyExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, i 0, i 0)'
!macroend

!macro customInstall
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media" "" "Photo or video"
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHCTX "Software\Classes\Mediatray.Media\shell\open\command" "" '"$appExe" "%1"'
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}" "FriendlyAppName" "Mediatray"
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
  ; The user's choice to start at login. An update also runs this uninstaller and must keep the choice.
  ${ifNot} ${isUpdated}
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
  ${endIf}
  Delete "$SENDTO\Mediatray.lnk"
  !insertmacro mediatrayNotifyExplorer
!macroend
