import type { client as english } from '../en/client.ts'
import type { SameTexts } from '../translate.ts'

export const client: SameTexts<typeof english> = {
  client: {
    folderGone: 'Der aktuelle Ordner wurde gelöscht, deshalb gehen keine relativen Pfade.',
    homeUnknown:
      'Das System kennt deinen Benutzerordner nicht. Setze HOME und führe den Befehl noch einmal aus.',
    outputFailed: 'Die Ausgabe ließ sich nicht schreiben: {detail}',
    dataFolderFailed: 'Der Ordner für die Daten von Mediatray ließ sich nicht anlegen: {detail}',
    silent: 'Der Hintergrundprozess von Mediatray ({pid}) antwortet nicht.',
    waiting: 'Wartet auf den Hintergrundprozess von Mediatray.',
    dataUsed: 'Ein anderes Programm ({pid}) verwendet die Daten von Mediatray und antwortet nicht: {folder}.',
    ended: 'Der Hintergrundprozess von Mediatray wurde beendet. {next}',
    replaced: 'Mediatrays Programmdateien werden ersetzt oder entfernt, deshalb endete dieser Befehl. {next}',
    inputLost: 'Was er von stdin gelesen hatte, ist verloren. {next}',
  },
  continued: {
    everything: 'Der nächste Befehl führt seine Arbeit fort, „history“ zeigt sie.',
    perhaps:
      '„outbox“ und „history“ zeigen, ob etwas eingereicht wurde. Wenn nicht, führe den Befehl noch einmal aus.',
    submissions:
      'Der nächste Befehl führt fort, was eingereicht wurde, „history“ zeigt es. Führe diesen Befehl noch einmal aus.',
    nothing: 'Es wurde nichts eingereicht. Führe den Befehl noch einmal aus.',
  },
}
