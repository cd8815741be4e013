import type { SameTexts } from '../translate.ts'
import type { common as english } from '../en/common.ts'

export const common: SameTexts<typeof english> = {
  count: {
    files: { one: '{count} Datei', other: '{count} Dateien' },
    photos: { one: '{count} Foto', other: '{count} Fotos' },
    videos: { one: '{count} Video', other: '{count} Videos' },
    jobs: { one: '{count} Auftrag', other: '{count} Aufträge' },
    problems: { one: '{count} Problem', other: '{count} Probleme' },
    variations: { one: '{count} Variante', other: '{count} Varianten' },
    results: { one: '{count} Ergebnis', other: '{count} Ergebnisse' },
    presets: { one: '{count} Preset', other: '{count} Presets' },
  },
  phrase: {
    withSkipped: '{starting}, {count} übersprungen',
    startingSoon: '{files} mit {preset}: startet gleich',
    quoted: '„{text}“',
  },
  name: {
    more: '+ {count} weitere',
    driveFolder: 'Drive-Ordner {id}',
  },
  preset: {
    basic: 'Grundeinstellung',
  },
  time: {
    seconds: '{seconds} s',
    minutes: '{minutes} min',
    minutesSeconds: '{minutes} min {seconds} s',
    hours: '{hours} h',
    hoursMinutes: '{hours} h {minutes} min',
    left: 'noch etwa {time}',
    leftStart: 'Noch etwa {time}',
    soFar: 'bisher {time}',
  },
  stage: {
    working: 'In Arbeit',
    next: 'Als Nächstes',
    position: 'An {position} Stelle',
    cancelling: 'Wird abgebrochen…',
    unreadable: 'Der Bericht des Dienstes ist nicht lesbar ({field})',
    uploading: 'Verarbeitet, wird zu Drive hochgeladen',
    fileOf: '{phase} {file} von {files}',
    fileCount: '{file} von {files}',
    sending: 'Wird gesendet',
    sendingShare: 'Wird gesendet, {percent}',
  },
  phase: {
    waiting: 'Wartet',
    discovering: 'Sucht Dateien',
    starting: 'Startet',
    fetching: 'Holt Dateien',
    reading: 'Liest',
    processing: 'Verarbeitet',
    saving: 'Sichert',
    encoding: 'Kodiert',
    copying: 'Kopiert',
    measuring: 'Misst die Qualität',
    finishing: 'Schließt ab',
    uploading: 'Lädt hoch',
    done: 'Fertig',
    fetchingResults: 'Holt Ergebnisse',
  },
  waiting: {
    undo: 'Startet gleich',
    offline: 'Wartet auf den Dienst',
    paused: 'Pausiert',
    keyRefused: 'Wartet auf einen neuen API-Schlüssel',
    wrongVersion: 'Wartet auf eine kompatible Version des Dienstes',
    unconfigured: 'Wartet, bis du einen Dienst auswählst',
    diskFull: 'Wartet auf Speicherplatz',
  },
  originals: {
    replaced: '{count} ersetzt',
    kept: '{count} behalten',
    restored: '{count} wiederhergestellt',
  },
  outcome: {
    done: 'Fertig',
    problems: { one: 'Fertig mit {count} Problem', other: 'Fertig mit {count} Problemen' },
    failed: 'Fehlgeschlagen: {reason}',
    failedPlain: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
    cancelledAfter: 'Abgebrochen nach {done} von {count}',
    forgotten: 'Der Dienst kennt diesen Auftrag nicht mehr',
    refused: 'Abgelehnt: {reason}',
    unknown: 'Hat der Dienst diesen Auftrag erhalten?',
  },
  offline: {
    refused: 'Der Dienst läuft nicht',
    silent: 'Der Dienst antwortet nicht',
    notTheService: 'Ein anderes Programm verwendet {address}',
    builtInFailed: 'Der eingebaute Dienst konnte nicht gestartet werden',
  },
  connection: {
    unconfigured: 'Kein Dienst ausgewählt',
    connecting: 'Verbindung wird hergestellt…',
    online: 'Verbunden, {address}',
    onlineBuiltIn: 'Der eingebaute Dienst läuft',
    keyRefused: 'Der Dienst hat den API-Schlüssel abgelehnt',
    wrongVersion: 'Der Dienst hat Version {version}',
  },
  drive: {
    noRclone:
      'rclone wurde nicht gefunden. Installiere es von https://rclone.org/install/ oder gib in den Einstellungen an, wo es liegt.',
    noRemote: 'Kein Cloud-Speicher ausgewählt. Wähle eine deiner rclone-Verbindungen.',
    unknownRemote: 'rclone hat keine Verbindung namens {name}. Lege sie mit „rclone config“ an.',
    notListed: 'Die rclone-Verbindungen konnten nicht aufgelistet werden: {reason}.',
    noSuchFolder: 'Diesen Ordner gibt es im Cloud-Speicher nicht: {id}',
    notAFolder: 'Das ist im Cloud-Speicher eine Datei und kein Ordner: {id}',
    idEmpty: 'Die Ordner-ID ist leer',
    idTooLong: 'Die Ordner-ID ist zu lang',
    idUnusual: 'Die Ordner-ID enthält ein ungültiges Zeichen',
    idIsLink: 'Das ist ein Link und keine Ordner-ID',
    idLeadsOut: 'Eine Ordner-ID darf . und .. nicht als Pfadbestandteil enthalten',
    idNotOfDrive: 'Das ist keine Google-Drive-Ordner-ID. Verwende den letzten Teil der Ordneradresse',
  },
  serviceError: {
    notReachable:
      'Der Dienst ist nicht erreichbar. Es wurde nichts gesendet. Starte seine App oder verwende den eingebauten Dienst.',
    noAnswer:
      'Der Dienst hat nicht rechtzeitig geantwortet. Möglicherweise hat er die Anfrage erhalten. Prüfe die Auftragsliste, bevor du sie noch einmal sendest.',
    unauthorized:
      'Der Dienst hat den API-Schlüssel abgelehnt. Es wurde nichts geändert. Gib den Schlüssel aus seinen API-Einstellungen ein.',
    notFound: 'Der Dienst hat diesen Auftrag nicht mehr. Er entfernt fertige Aufträge nach einer Stunde.',
    conflict: 'Das ist nicht mehr möglich: Der Status des Auftrags hat sich geändert.',
    refused:
      'Der Dienst hat die Anfrage abgelehnt. Deine Dateien sind unverändert. Behebe das genannte Problem und versuche es noch einmal.',
    driveNotReady:
      'Der Dienst ist nicht mit Drive verbunden. Es wurde nichts gesendet. Verbinde ihn in seiner App und versuche es dann noch einmal.',
    queueFull:
      'Die Warteschlange des Dienstes ist voll. Es geht nichts verloren: Der Auftrag wird gesendet, sobald Platz ist.',
    serverError:
      'Im Dienst ist ein interner Fehler aufgetreten. Prüfe die Auftragsliste, bevor du noch einmal sendest.',
    badResponse: 'Der Dienst hat eine ungültige Antwort gesendet ({route}: {field}).',
    localFile:
      'Eine Datei auf diesem Computer konnte nicht gelesen oder geschrieben werden. Es wurde nichts geändert.',
    aborted: 'Abgebrochen.',
  },
}
