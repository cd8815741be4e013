/** Opens a new database for each line of stdin, which names the file, and answers with a line each. */
import { createInterface } from 'node:readline'
import { openDatabase } from '../../../src/main/database/database.ts'

for await (const file of createInterface({ input: process.stdin })) {
  try {
    openDatabase({
      file,
      migrations: [(made) => made.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY)')],
      checkWhole: false,
      clock: Date.now,
    }).connection.close()
    console.log('opened')
  } catch (error) {
    console.log(String(error))
  }
}
