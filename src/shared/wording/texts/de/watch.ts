import type { Message } from '../../message.ts'
import type { watch as en } from '../en/watch.ts'

export const watch: Readonly<Record<keyof typeof en, Message>> = {
  'watch.question': {
    one: '{count} Datei kam, während niemand hinsah',
    other: '{count} Dateien kamen, während niemand hinsah',
  },
  'watch.questionBody': 'In {folder}. Klicke, um zu sagen, ob sie genommen werden.',
  'watch.unreadable': 'Ein beobachteter Ordner ist nicht lesbar',
  'watch.unreadableBody':
    'Etwas in {folder} ist für Mediatray verschlossen. Es wird von selbst wieder versucht.',
  'watch.notStarted': 'Beobachtete Dateien lassen sich nicht aufgeben',
  'watch.notStartedBody': 'Die in {folder} warten. Sieh nach Vorgabe und Ausgabe dieses Ordners.',

  'update.ready': 'Mediatray {version} ist bereit',
  'update.readyBody': 'Es wird eingerichtet, wenn du es sagst, und nie, während Aufträge laufen.',
  'update.install': 'Neu starten und einrichten',
  'update.badSignature': 'Ein Update war nicht, was es vorgab',
  'update.badSignatureBody':
    'Es trägt nicht unsere Signatur, darum wurde nichts davon eingerichtet. Hol die neue Version von unserer Seite.',
  'update.notReachable': 'Die Seite für Updates ist nicht erreichbar.',
  'update.failed': 'Die Suche nach Updates ist gescheitert: {detail}',

  'whenDone.quitSoon': 'Alles ist fertig. Mediatray beendet sich in {time}.',
  'whenDone.sleepSoon': 'Alles ist fertig. Der Computer schläft in {time}.',
  'whenDone.stay': 'Jetzt nicht',

  'link.addQuestion': {
    one: 'Ein Link möchte {count} Datei hinzufügen. Hinzufügen?',
    other: 'Ein Link möchte {count} Dateien hinzufügen. Hinzufügen?',
  },

  'task.newJob': 'Neuer Auftrag',
  'task.newJobHint': 'Fotos oder Videos zum Verarbeiten wählen',
  'task.pasteImage': 'Bild einfügen',
  'task.pasteImageHint': 'Das Bild in der Zwischenablage verarbeiten',
}
