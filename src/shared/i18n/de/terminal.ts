import type { SameTexts } from '../translate.ts'
import type { terminal as english } from '../en/terminal.ts'

export const terminal: SameTexts<typeof english> = {
  submissions: {
    ofPart: '{name}, {preset}, {part}',
    accepted: '{job}  angenommen: {name}.',
    refused: 'Abgelehnt: {name}. {reason}',
    unknown:
      '{id}  unbestätigt: {name}. Vielleicht hat der Dienst den Auftrag erhalten. Deshalb bleibt er im Postausgang und wird nicht noch einmal gesendet.',
    mayBe: 'vielleicht {job}: {name}, {preset}, {status}',
    decide: 'Entscheide mit: mediatray-cli outbox resolve {id} adopt JOBID | send | remove',
    checking:
      '{id}  unbestätigt: {name}. {cause} Bis zu {time} lang wird die Auftragsliste des Dienstes geprüft.',
    decideNow:
      'Entscheide schon jetzt in einem anderen Terminal oder nach Strg-C: mediatray-cli outbox resolve {id} adopt JOBID | send | remove',
    kept: '{id}  bleibt im Postausgang: {name}. {reason}',
    keptMany: {
      one: '{count} Auftrag bleibt im Postausgang: {names}. {reason}',
      other: '{count} Aufträge bleiben im Postausgang: {names}. {reason}',
    },
    keptHint: '„outbox“ listet sie auf. Reiche sie nicht noch einmal ein.',
    waiting: '{id}  wartet: {name}',
    waitingFor: '{id}  wartet auf {target}: {name}',
    sending: '{id}  wird gesendet: {name}',
    entryUnknown: '{id}  unbestätigt: {name}',
    entryRefused: '{id}  abgelehnt: {name}',
    adopted: '{id}  folgt jetzt diesem Auftrag.',
    waits: '{id}  wird noch einmal gesendet. „outbox send“ sendet sofort.',
    removed: '{id}  wurde aus dem Postausgang entfernt.',
  },
  refusals: {
    invalid: 'Der Dienst hat den Auftrag abgelehnt.',
    drive: 'Der Dienst ist nicht mit Drive verbunden.',
    tooLarge: 'Der Auftrag ist größer, als der Dienst erlaubt.',
    inputsGone: 'Die Dateien gibt es nicht mehr.',
    service: 'Der Dienst konnte den Auftrag nicht anlegen.',
  },
  uncertain: {
    crash: 'Mediatray wurde während des Sendens beendet.',
    timeout: 'Der Dienst hat nicht rechtzeitig geantwortet.',
    broken: 'Die Verbindung ist während des Sendens abgebrochen.',
    serverError: 'Im Dienst ist ein interner Fehler aufgetreten.',
    badResponse: 'Der Dienst hat eine ungültige Antwort gesendet.',
  },
  keptBecause: {
    turn: { one: '„outbox send“ sendet ihn.', other: '„outbox send“ sendet sie.' },
    queueFull: 'Die Warteschlange des Dienstes ist voll. „outbox send“ wartet, bis Platz ist.',
    offline: 'Der Dienst war nicht erreichbar. Führe „outbox send“ aus, sobald er es ist.',
    keyRefused:
      'Der Dienst hat den API-Schlüssel abgelehnt. Führe „outbox send“ mit einem gültigen Schlüssel aus.',
    wrongVersion: 'Die Einstellungen erlauben diese Version des Dienstes nicht.',
    unconfigured: 'Es ist kein Dienst ausgewählt.',
    paused: 'Aufträge sind in Mediatray pausiert.',
    time: 'Mediatray führt Aufträge zu einer anderen Tageszeit aus.',
    power: 'Mediatray führt Aufträge aus, wenn der Computer am Netz hängt.',
    idle: 'Mediatray führt Aufträge aus, wenn der Computer nicht benutzt wird.',
    diskFull: 'Der Datenträger ist voll. Gib Platz frei und führe dann „outbox send“ aus.',
    editing: {
      one: 'Er wird gerade in Mediatray bearbeitet.',
      other: 'Sie werden gerade in Mediatray bearbeitet.',
    },
    undo: { one: 'Er lässt sich noch abbrechen.', other: 'Sie lassen sich noch abbrechen.' },
    output: {
      one: 'Seine Ergebnisse lassen sich gerade nicht speichern. Alle paar Minuten folgt ein neuer Versuch.',
      other: 'Ihre Ergebnisse lassen sich gerade nicht speichern. Alle paar Minuten folgt ein neuer Versuch.',
    },
    serviceFailed: {
      one: 'Der Dienst konnte ihn nicht anlegen. Mediatray versucht es alle paar Minuten noch einmal.',
      other: 'Der Dienst konnte sie nicht anlegen. Mediatray versucht es alle paar Minuten noch einmal.',
    },
  },
  partStates: {
    done: 'fertig',
    problems: 'fertig mit Problemen',
    failed: 'fehlgeschlagen',
    cancelled: 'abgebrochen',
    forgotten: 'dem Dienst nicht mehr bekannt',
    accepted: 'angenommen',
    waiting: 'im Postausgang',
    refused: 'abgelehnt',
    unknown: 'unbestätigt',
    removed: 'aus dem Postausgang entfernt',
  },
  recordStates: {
    waiting: 'wartet im Postausgang',
    sending: 'in Arbeit',
    unknown: 'unbestätigt, siehe „outbox“',
    refused: 'abgelehnt',
    accepted: 'in Arbeit',
    after: '{state} nach {results}',
    notFinished: 'noch nicht fertig',
    notAllReplaced: '{outcome}, aber noch sind nicht alle Originale ersetzt',
  },
  jobReport: {
    parts: { one: 'Auftrag mit {count} Teil', other: 'Auftrag mit {count} Teilen' },
    partsIn: { one: '{count} Teil {state}', other: '{count} Teile {state}' },
    someOf: '{done} von {count}',
    inFolders: '{text} in {folders}',
    problem: 'Problem: {what}',
    problemOf: 'Problem, {preset}: {what}',
    skipped: 'übersprungen: {what}',
    notProcessed: 'nicht verarbeitet: {files}',
    accepted: {
      one: '{count} Auftrag angenommen. „history“ zeigt, wie er endet.',
      other: '{count} Aufträge angenommen. „history“ zeigt, wie sie enden.',
    },
    unconfirmed: {
      one: '{count} unbestätigt: Vielleicht hat der Dienst ihn erhalten. Deshalb bleibt er im Postausgang und wird nicht noch einmal gesendet. „outbox“ zeigt ihn, „outbox resolve“ entscheidet.',
      other:
        '{count} unbestätigt: Vielleicht hat der Dienst sie erhalten. Deshalb bleiben sie im Postausgang und werden nicht noch einmal gesendet. „outbox“ zeigt sie, „outbox resolve“ entscheidet.',
    },
    refused: {
      one: '{count} abgelehnt. „outbox“ zeigt den Grund.',
      other: '{count} abgelehnt. „outbox“ zeigt die Gründe.',
    },
    refusedStay: {
      one: 'Der abgelehnte Auftrag bleibt im Postausgang, bis ihn „outbox resolve ID remove“ entfernt. Die Originale sind unverändert.',
      other:
        'Die abgelehnten Aufträge bleiben im Postausgang, bis sie „outbox resolve ID remove“ entfernt. Die Originale sind unverändert.',
    },
    retry: 'Der Verlauf behält ihn. Fehlgeschlagene Dateien wiederholen: mediatray-cli retry {id}',
    processOthers: 'Der Verlauf behält ihn. Die übrigen Dateien verarbeiten: mediatray-cli retry {id}',
    retryMany:
      'Der Verlauf behält sie. „history --outcome problems failed cancelled“ listet die IDs für „retry ID“ auf.',
    processOthersMany:
      'Der Verlauf behält sie. Um die übrigen Dateien zu verarbeiten, führe denselben Befehl mit --skip-done aus.',
    found: { one: '{count} gefunden.', other: '{count} gefunden.' },
    noneFound: 'Nichts gefunden.',
    shown: '{shown} von {total} gezeigt. --limit zeigt mehr.',
    uploading: 'wird hochgeladen',
    listed: '{jobs} in der Liste, {waiting} warten, einer wird verarbeitet.',
    listedIdle: '{jobs} in der Liste, {waiting} warten, keiner wird verarbeitet.',
    cancelled: '{job}  abgebrochen. Schon geschriebene Dateien können bleiben.',
    cancelling: '{job}  Abbruch angefordert. Schon geschriebene Dateien können bleiben.',
    cancellingIn:
      '{job}  Abbruch angefordert, jetziger Zustand: {status}. Schon geschriebene Dateien können bleiben.',
    cleared: {
      one: '{count} Auftrag aus der Liste des Dienstes entfernt. Es wurden keine Dateien gelöscht.',
      other: '{count} Aufträge aus der Liste des Dienstes entfernt. Es wurden keine Dateien gelöscht.',
    },
  },
  fileReport: {
    more: '{names} und {count} weitere',
    notTaken: '{file} übersprungen: {reason}',
    notTakenMany: '{files} übersprungen: {reason} ({names})',
    done: '{files} übersprungen, weil schon verarbeitet.',
    pending:
      '{files} übersprungen, weil schon in Arbeit. „outbox send“ sendet, was noch im Postausgang wartet.',
    results: '{results} früherer Aufträge mit demselben Preset übersprungen.',
    nothingElse: 'Sonst gibt es nichts zu verarbeiten.',
    notSubmitted: 'Nicht eingereicht. {reason}',
    nothingMeasured: 'Noch wurden keine Ergebnisse gemessen.',
    saved: { one: '{size} bei {count} Datei gespart.', other: '{size} bei {count} Dateien gespart.' },
    processed: {
      one: '{count} Datei verarbeitet: Aus {before} wurden {after}.',
      other: '{count} Dateien verarbeitet: Aus {before} wurden {after}.',
    },
    ofPreset: '{preset}: {text}',
    notForThese: 'Das Preset gilt für keine dieser Dateien.',
    estimate: '{size} {share}.',
    estimateIn: '{size} {share} ({range}).',
  },
  serviceReport: {
    using: 'Der eingebaute Dienst unter {address} wird verwendet.',
    running: '{address} läuft, Version {version}, {jobs} in Arbeit.',
    runningUntested:
      '{address} läuft, Version {version} (nicht mit dieser Version von Mediatray getestet), {jobs} in Arbeit.',
    drive: 'Cloud-Laufwerk: verbunden.',
    driveOf: 'Cloud-Laufwerk: verbunden als {email}.',
    driveNotConnected: 'Cloud-Laufwerk: nicht verbunden.',
    driveNotConfigured: 'Cloud-Laufwerk: nicht eingerichtet.',
    presetsForPhotos: 'Presets für Fotos:',
    presetsForVideos: 'Presets für Videos:',
    presetDamaged:
      'Das Preset „{name}“ in {folder} ist nicht verwendbar: {reason}. Die Datei wurde nicht geändert.',
    text: 'Text',
    number: 'eine Zahl',
    wholeNumber: 'eine ganze Zahl',
    limits: '{values} von {min} bis {max}',
    rule: '{title} (Abschnitt {section})',
    passed: 'erfüllt: {rule}.',
    failed: 'nicht erfüllt: {rule}: {detail}.',
    notChecked: 'nicht geprüft: {rule}. {detail}',
    checked: '{checks} Prüfungen: {passed} erfüllt, {failed} nicht erfüllt, {notChecked} nicht geprüft.',
    leftJob: 'Der Auftrag {job} ließ sich nicht abbrechen und läuft vielleicht noch.',
    noFolders: 'Hier gibt es keine Ordner.',
    driveConnected: '{name} ist verbunden.',
    driveTrouble: 'Nicht verbunden. {reason}',
    driveDisconnected: 'Das Cloud-Laufwerk ist getrennt.',
    driveChosen: 'Der eingebaute Dienst verwendet jetzt {name} als Cloud-Laufwerk.',
    noRclone:
      'rclone wurde nicht gefunden. Installiere es (https://rclone.org/install/) und versuche es noch einmal.',
    noRemotes: 'rclone hat noch keine Remotes. Lege mit „rclone config“ eines an.',
    chooseRemote: 'Wähle eines mit „drive use NAME“.',
    remoteInUse: '* wird verwendet (rclone {version}).',
    about: '{about}: {message}',
  },
  nextSteps: {
    notReachable: 'Es wurde nichts gesendet. Starte den Dienst oder prüfe seine Adresse.',
    unauthorized:
      'Es wurde nichts geändert. Setze MEDIATRAY_API_KEY auf den Schlüssel aus den Einstellungen des Dienstes.',
    notFound: 'Der Dienst entfernt beendete Aufträge nach einer Stunde.',
  },
  originalsReport: {
    keptWithResult: '{path}: {reason}. Ergebnis: {result}',
    kept: '{path}: {reason}',
    undo: 'Originale wiederherstellen: mediatray-cli undo {id}',
    restored: '{path} wiederhergestellt',
    restoredNewer:
      '{path} wiederhergestellt. Ein anderes Programm hatte die Datei gespeichert, nachdem sie ersetzt worden war. Dies ist der gespeicherte Stand.',
    restoredBoth:
      '{path} wiederhergestellt. Das Ergebnis wurde bearbeitet oder verschoben, deshalb bleiben beide Dateien.',
    replacedAgain: '{path} wieder ersetzt',
    none: 'Es werden keine Originale aufbewahrt.',
    total: '{files}, {size}.',
    untilEmptied: 'Originale bleiben, bis du „vault empty“ ausführst.',
    untilDay: {
      one: 'Originale werden {count} Tag nach dem Ersetzen gelöscht.',
      other: 'Originale werden {count} Tage nach dem Ersetzen gelöscht.',
    },
    away: {
      one: '{count} Tresor wurde nicht gefunden: Verbinde den Datenträger oder verschiebe den Ordner zurück.',
      other:
        '{count} Tresore wurden nicht gefunden: Verbinde die Datenträger oder verschiebe die Ordner zurück.',
    },
    awayStay: '{away} Die Dateien dort bleiben.',
    emptied: '{files} gelöscht, {size} freigegeben.',
    notDeleted: '{files} nicht gelöscht: Prüfe, ob der Tresor beschreibbar ist.',
    released:
      '{path} wurde nicht gelöscht: Ein anderes Programm hat die Datei gespeichert, als sie schon im Tresor lag. Sie liegt neben der Datei, die sie ersetzt hat.',
  },
  folderReport: {
    watching: '{folders} wird überwacht.',
    unblocked: 'Die Verarbeitung geht weiter.',
    missing: '{folder}: nicht gefunden. Die Überwachung geht weiter, sobald der Ordner wieder da ist.',
    notFolder:
      '{folder}: eine Datei, kein Ordner. Die Überwachung beginnt, sobald ein Ordner diesen Namen hat.',
    foreignLink:
      '{folder}: Ein Link im Pfad gehört einem anderen Benutzer, deshalb wird ihm nicht gefolgt. Die Überwachung geht weiter, sobald der Ordner wieder da ist.',
    repeated: '{folder}: Ein anderer überwachter Ordner ist derselbe und verarbeitet die Dateien.',
    unreadable: '{folder}: nicht lesbar.',
    unreadableFiles: {
      one: '{folder}: {count} Datei ist nicht lesbar: {names}.',
      other: '{folder}: {count} Dateien sind nicht lesbar: {names}.',
    },
    noPreset: '{folder}: Das Preset „{preset}“ gibt es nicht. Neue Dateien dafür warten.',
    presetMissing: {
      one: '{folder}: {count} Datei wartet auf das Preset „{preset}“, das es nicht gibt.',
      other: '{folder}: {count} Dateien warten auf das Preset „{preset}“, das es nicht gibt.',
    },
    open: {
      one: '{folder}: {count} Datei wartet, bis andere Programme sie schließen: {names}.',
      other: '{folder}: {count} Dateien warten, bis andere Programme sie schließen: {names}.',
    },
    retried: {
      one: '{folder}: Die Verarbeitung von {count} Datei ist fehlgeschlagen und wird später wiederholt: {names}.',
      other:
        '{folder}: Die Verarbeitung von {count} Dateien ist fehlgeschlagen und wird später wiederholt: {names}.',
    },
    links: {
      one: '{folder}: {count} Link führt aus dem Ordner hinaus. Ihm wird nicht gefolgt: {names}.',
      other: '{folder}: {count} Links führen aus dem Ordner hinaus. Ihnen wird nicht gefolgt: {names}.',
    },
    special: {
      one: '{folder}: {count} Datei ist eine Pipe, ein Socket oder ein Gerät und wird nicht verarbeitet: {names}.',
      other:
        '{folder}: {count} Dateien sind Pipes, Sockets oder Geräte und werden nicht verarbeitet: {names}.',
    },
    ignored: {
      one: '{folder}: {count} Datei ist versteckt oder heißt wie eine unfertige Datei und wird erst nach dem Umbenennen verarbeitet: {names}.',
      other:
        '{folder}: {count} Dateien sind versteckt oder heißen wie unfertige Dateien und werden erst nach dem Umbenennen verarbeitet: {names}.',
    },
    empty: {
      one: '{folder}: {count} Datei ist leer und wird verarbeitet, sobald sie Inhalt hat: {names}.',
      other: '{folder}: {count} Dateien sind leer und werden verarbeitet, sobald sie Inhalt haben: {names}.',
    },
    notStarted: '{folder}: nicht eingereicht. {reason}',
    notTaken: '{folder}: Dateien ließen sich nicht einreichen. Es wird wieder versucht. {reason}',
    program: 'das Programm',
    url: 'die Anfrage',
    hookDone: '{job}  Nach dem Auftrag: {what}, erfolgreich.',
    hookAgain:
      '{job}  Nach dem Auftrag: {what}, fehlgeschlagen ({why}, Versuch {tries}). Ein weiterer Versuch folgt, während die App oder „watch“ läuft.',
    hookFailed:
      '{job}  Nach dem Auftrag: {what}, fehlgeschlagen ({why}, Versuch {tries}). Es folgt kein weiterer Versuch.',
  },
}
