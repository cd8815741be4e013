/** Text of others on a terminal: without what could move the cursor, recolour, or turn the reading direction. */
export const plain = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')
