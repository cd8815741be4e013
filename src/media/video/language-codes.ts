/** Languages with two codes in ISO 639-2: the bibliographic one, for Matroska, and the terminological one, for MP4. */
const PAIRS =
  'alb:sqi arm:hye baq:eus bur:mya chi:zho cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string])

const TERMINOLOGY = new Map(PAIRS)
const BIBLIOGRAPHY = new Map(PAIRS.map(([one, other]) => [other, one]))

export const inTerminology = (language: string): string => TERMINOLOGY.get(language) ?? language
export const inBibliography = (language: string): string => BIBLIOGRAPHY.get(language) ?? language
