import type { Message } from '../translate.ts'
import type { common as english } from '../en/common.ts'

export const common: Readonly<Record<keyof typeof english, Message>> = {
  'count.files': { one: '{count} Datei', other: '{count} Dateien' },
  'count.photos': { one: '{count} Foto', other: '{count} Fotos' },
  'count.videos': { one: '{count} Video', other: '{count} Videos' },
  'count.jobs': { one: '{count} Auftrag', other: '{count} Aufträge' },
  'count.problems': { one: '{count} Problem', other: '{count} Probleme' },
  'count.variations': { one: '{count} Variante', other: '{count} Varianten' },
  'count.results': { one: '{count} Ergebnis', other: '{count} Ergebnisse' },
  'name.more': '+ {count} weitere',
  'name.driveFolder': 'Drive-Ordner {id}',

  'preset.basic': 'Grundeinstellung',

  'time.seconds': '{seconds} s',
  'time.minutes': '{minutes} min',
  'time.minutesSeconds': '{minutes} min {seconds} s',
  'time.hours': '{hours} h',
  'time.hoursMinutes': '{hours} h {minutes} min',
  'time.left': 'noch etwa {time}',
  'time.leftStart': 'Noch etwa {time}',
  'time.soFar': 'bisher {time}',

  'stage.working': 'In Arbeit',
  'stage.next': 'Als Nächstes',
  'stage.position': 'An {position} Stelle',
  'stage.cancelling': 'Wird abgebrochen …',
  'stage.uploading': 'Hier fertig, wird zu Drive hochgeladen',
  'stage.fileOf': '{phase} {file} von {files}',
  'stage.sending': 'Wird gesendet',
  'stage.sendingShare': 'Wird gesendet, {percent}',

  'waiting.undo': 'Startet gleich',
  'waiting.offline': 'Wartet auf den Dienst',
  'waiting.paused': 'Angehalten',
  'waiting.keyRefused': 'Wartet auf einen neuen API-Schlüssel',
  'waiting.wrongVersion': 'Wartet auf eine passende Version des Dienstes',
  'waiting.unconfigured': 'Wartet, bis ein Dienst gewählt ist',
  'waiting.diskFull': 'Wartet: der Datenträger ist fast voll',

  'outcome.done': 'Fertig',
  'outcome.problems': { one: 'Fertig mit {count} Problem', other: 'Fertig mit {count} Problemen' },
  'outcome.failed': 'Fehlgeschlagen: {reason}',
  'outcome.failedPlain': 'Fehlgeschlagen',
  'outcome.cancelled': 'Abgebrochen',
  'outcome.cancelledAfter': 'Abgebrochen nach {done} von {count}',
  'outcome.forgotten': 'Der Dienst hat diesen Auftrag aus den Augen verloren',
  'outcome.refused': 'Abgelehnt: {reason}',
  'outcome.unknown': 'Hat der Dienst diesen Auftrag bekommen?',
  'outcome.summary': '{done} von {count} Dateien, {problems}',

  'offline.refused': 'Der Dienst läuft nicht',
  'offline.silent': 'Der Dienst antwortet nicht',
  'offline.notTheService': 'Unter {address} antwortet etwas anderes',
  'offline.builtInFailed': 'Der eingebaute Dienst startet nicht',
  'connection.unconfigured': 'Kein Dienst gewählt',
  'connection.connecting': 'Verbindet …',
  'connection.online': 'Verbunden, {address}',
  'connection.onlineBuiltIn': 'Der eingebaute Dienst läuft',
  'connection.keyRefused': 'Der Dienst hat den API-Schlüssel abgelehnt',
  'connection.wrongVersion': 'Der Dienst hat Version {version}',

  'error.notReachable':
    'Der Dienst ist nicht erreichbar. Es wurde nichts gesendet. Starte seine App oder nimm den eingebauten Dienst.',
  'error.noAnswer':
    'Der Dienst hat nicht rechtzeitig geantwortet. Vielleicht hat er die Anfrage bekommen; sieh in die Auftragsliste, bevor du sie noch einmal sendest.',
  'error.unauthorized':
    'Der Dienst hat den API-Schlüssel abgelehnt. Es ist nichts geschehen. Gib den Schlüssel aus seinen API-Einstellungen ein.',
  'error.notFound':
    'Der Dienst kennt das nicht mehr. Fertige Aufträge werden dort nach einer Stunde vergessen.',
  'error.conflict': 'Das geht nicht mehr: der Auftrag ist schon weiter.',
  'error.refused':
    'Der Dienst hat das abgelehnt. Deine Dateien sind unverändert. Ändere, was er nennt, und versuche es noch einmal.',
  'error.driveNotReady':
    'Der Dienst ist nicht mit Drive verbunden. Es wurde nichts gesendet. Verbinde ihn in jener App und versuche es dann noch einmal.',
  'error.queueFull':
    'Die Warteschlange des Dienstes ist voll. Nichts geht verloren; es wird gesendet, sobald Platz ist.',
  'error.serverError':
    'Im Dienst ist ein Fehler aufgetreten. Sieh in die Auftragsliste, bevor du es noch einmal sendest.',
  'error.badResponse': 'Die Antwort des Dienstes ist nicht zu verstehen ({route}: {field}).',
  'error.localFile':
    'Eine Datei auf diesem Computer lässt sich nicht lesen oder schreiben. Es wurde nichts geändert.',
  'error.aborted': 'Angehalten.',
}
