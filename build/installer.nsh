; What electron-builder's installer adds for this user: "Open with" for each supported kind of file, and "Send to". It is one
; more choice: nothing here makes Mediatray the default for any kind of file.

!macro mediatrayOffer EXT
  WriteRegStr SHCTX "Software\Classes\.${EXT}\OpenWithProgids" "Mediatray.Media" ""
  WriteRegStr SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\SupportedTypes" ".${EXT}" ""
!macroend

!macro mediatrayWithdraw EXT
  DeleteRegValue SHCTX "Software\Classes\.${EXT}\OpenWithProgids" "Mediatray.Media"
!macroend

; The same list as in src/shared/media-types.ts.
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

; Explorer keeps what it knows about kinds of files until it is told (SHCNE_ASSOCCHANGED).
!macro mediatrayTellExplorer
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
  !insertmacro mediatrayTellExplorer
!macroend

!macro customUnInstall
  !insertmacro mediatrayForEach mediatrayWithdraw
  DeleteRegKey SHCTX "Software\Classes\Mediatray.Media"
  DeleteRegKey SHCTX "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  ; Written by the app itself: for its links, and for notifications (TOAST_ACTIVATOR in src/main/desktop/bootstrap.ts).
  DeleteRegKey HKCU "Software\Classes\mediatray"
  DeleteRegKey HKCU "Software\Classes\CLSID\{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}"
  ; Start at login, as a person has chosen it. An update runs this uninstaller too, and must leave the choice as it is.
  ${ifNot} ${isUpdated}
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
  ${endIf}
  Delete "$SENDTO\Mediatray.lnk"
  !insertmacro mediatrayTellExplorer
!macroend
