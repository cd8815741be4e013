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
    cancelling: 'Wird abgebrochen …',
    uploading: 'Hier fertig, wird zu Drive hochgeladen',
    fileOf: '{phase} {file} von {files}',
    sending: 'Wird gesendet',
    sendingShare: 'Wird gesendet, {percent}',
  },
  phase: {
    waiting: 'Wartet',
    discovering: 'Sucht Dateien',
    starting: 'Beginnt',
    fetching: 'Holt Dateien',
    reading: 'Liest',
    processing: 'Verarbeitet',
    saving: 'Sichert',
    encoding: 'Kodiert',
    copying: 'Kopiert',
    finishing: 'Schließt ab',
    uploading: 'Lädt hoch',
    done: 'Fertig',
    fetchingResults: 'Holt Ergebnisse',
  },
  waiting: {
    undo: 'Startet gleich',
    offline: 'Wartet auf den Dienst',
    paused: 'Angehalten',
    keyRefused: 'Wartet auf einen neuen API-Schlüssel',
    wrongVersion: 'Wartet auf eine passende Version des Dienstes',
    unconfigured: 'Wartet, bis ein Dienst gewählt ist',
    diskFull: 'Wartet: der Datenträger ist fast voll',
  },
  outcome: {
    done: 'Fertig',
    problems: { one: 'Fertig mit {count} Problem', other: 'Fertig mit {count} Problemen' },
    failed: 'Fehlgeschlagen: {reason}',
    failedPlain: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
    cancelledAfter: 'Abgebrochen nach {done} von {count}',
    forgotten: 'Der Dienst hat diesen Auftrag aus den Augen verloren',
    refused: 'Abgelehnt: {reason}',
    unknown: 'Hat der Dienst diesen Auftrag bekommen?',
  },
  offline: {
    refused: 'Der Dienst läuft nicht',
    silent: 'Der Dienst antwortet nicht',
    notTheService: 'Unter {address} antwortet etwas anderes',
    builtInFailed: 'Der eingebaute Dienst startet nicht',
  },
  connection: {
    unconfigured: 'Kein Dienst gewählt',
    connecting: 'Verbindet …',
    online: 'Verbunden, {address}',
    onlineBuiltIn: 'Der eingebaute Dienst läuft',
    keyRefused: 'Der Dienst hat den API-Schlüssel abgelehnt',
    wrongVersion: 'Der Dienst hat Version {version}',
  },
  drive: {
    noRclone:
      'rclone wurde nicht gefunden. Es lässt sich installieren (https://rclone.org/install/), oder in den Einstellungen steht, wo es ist.',
    noRemote: 'Es ist kein Cloud-Laufwerk gewählt. Eines von denen wählen, die rclone hat.',
    unknownRemote: 'rclone hat keine Verbindung namens {name}. „rclone config“ legt eine an.',
    notListed: 'rclone kann seine Verbindungen nicht auflisten. {reason}.',
    noSuchFolder: 'Im Cloud-Laufwerk gibt es diesen Ordner nicht: {id}',
    notAFolder: 'Im Cloud-Laufwerk ist das eine Datei und kein Ordner: {id}',
    idEmpty: 'Die Ordner-ID ist leer',
    idTooLong: 'Die Ordner-ID ist zu lang',
    idUnusual: 'Die Ordner-ID enthält ein Zeichen, das in keinem Ordnernamen vorkommt',
    idIsLink: 'Das ist ein Link und keine Ordner-ID',
    idLeadsOut: 'Eine Ordner-ID darf nicht mit . oder .. aus ihrem Ordner führen',
    idNotOfDrive:
      'Das ist nicht die ID eines Google-Drive-Ordners: sie ist der letzte Teil der Adresse des Ordners',
    quota: 'Das Cloud-Laufwerk ist voll: der Speicherplatz ist aufgebraucht',
    busy: 'Das Cloud-Laufwerk nimmt gerade keine weiteren Anfragen an. Später noch einmal versuchen',
    locked: 'Die Konfiguration von rclone ist verschlüsselt. Ihr Passwort gehört in RCLONE_CONFIG_PASS',
    signIn: 'Das Cloud-Laufwerk nimmt die Anmeldung nicht mehr an. „rclone config reconnect“ erneuert sie',
    permission: 'Dem Konto fehlt im Cloud-Laufwerk die Berechtigung dafür',
    notFound: 'Das ist nicht im Cloud-Laufwerk',
    network: 'Das Cloud-Laufwerk ist nicht erreichbar',
  },
  serviceError: {
    notReachable:
      'Der Dienst ist nicht erreichbar. Es wurde nichts gesendet. Starte seine App oder nimm den eingebauten Dienst.',
    noAnswer:
      'Der Dienst hat nicht rechtzeitig geantwortet. Vielleicht hat er die Anfrage bekommen; sieh in die Auftragsliste, bevor du sie noch einmal sendest.',
    unauthorized:
      'Der Dienst hat den API-Schlüssel abgelehnt. Es ist nichts geschehen. Gib den Schlüssel aus seinen API-Einstellungen ein.',
    notFound: 'Der Dienst kennt das nicht mehr. Fertige Aufträge werden dort nach einer Stunde vergessen.',
    conflict: 'Das geht nicht mehr: der Auftrag ist schon weiter.',
    refused:
      'Der Dienst hat das abgelehnt. Deine Dateien sind unverändert. Ändere, was er nennt, und versuche es noch einmal.',
    driveNotReady:
      'Der Dienst ist nicht mit Drive verbunden. Es wurde nichts gesendet. Verbinde ihn in jener App und versuche es dann noch einmal.',
    queueFull:
      'Die Warteschlange des Dienstes ist voll. Nichts geht verloren; es wird gesendet, sobald Platz ist.',
    serverError:
      'Im Dienst ist ein Fehler aufgetreten. Sieh in die Auftragsliste, bevor du es noch einmal sendest.',
    badResponse: 'Die Antwort des Dienstes ist nicht zu verstehen ({route}: {field}).',
    localFile:
      'Eine Datei auf diesem Computer lässt sich nicht lesen oder schreiben. Es wurde nichts geändert.',
    aborted: 'Angehalten.',
  },
}
