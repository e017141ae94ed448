// Finds where the values that a person is known by stand in a text as a whole, and takes them out. Pure.
import { MASK } from '../mask.ts'
import { strictlyEncoded } from '../text.ts'

/** Shorter values may stand in any text by chance: they are masked only where they are all of it. */
export const LEAST_INSIDE = 4

/** Every character stays one, so that places in the folded text are those of the text. A sigma that ends a word is folded like any other. */
export const folded = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character)

/** What is encoded as `%20` is a character of its own: its digits are no part of the word behind them. */
const ENCODED = /^%[0-9a-f]{2}$/i
const endsEncoded = (text: string, end: number): boolean => ENCODED.test(text.slice(Math.max(0, end - 3), end))

const endsWord = (text: string, end: number): boolean => isWord(text[end - 1]) && !endsEncoded(text, end)

const isRun = (character: string | undefined): boolean =>
  isWord(character) || (character !== undefined && '._+-'.includes(character))

const isAt = (text: string, at: number): boolean => text[at] === '@' || text.startsWith('%40', at)

const FILE =
  /\.(jpe?g|png|gif|webp|avif|hei[cf]|tiff?|bmp|svg|pdf|mp4|m4v|mov|webm|mkv|avi|mp3|m4a|wav|aac|ogg|flac|json|txt|csv|zip|html?|part)\.?$/i
const isFile = (text: string, end: number): boolean => FILE.test(text.slice(Math.max(0, end - 7), end))
/** So far is looked for what a name ends with. */
const LONGEST_ENDING = 64

/** Letters, digits and joints without a gap. */
interface Run {
  start: number
  end: number
  /** It is the mail address of somebody. */
  isAddress: boolean
}

/** Tells in which run a place lies. Places must rise, so that the text is gone through once. */
function runsOf(text: string): (at: number) => Run {
  let run: Run = { start: 0, end: 0, isAddress: false }
  return at => {
    while (run.end <= at) run = runFrom(text, run.end)
    return run
  }
}

function runFrom(text: string, start: number): Run {
  let end = start
  let isAddress = false
  for (let length = lengthInRun(text, end); length > 0; length = lengthInRun(text, end)) {
    if (end > start && isAt(text, end) && isWord(text[end - 1]) && isWord(text[end + length])) isAddress = true
    end += length
  }
  // What stands between runs is one by itself.
  if (end === start) end += ENCODED.test(text.slice(start, start + 3)) ? 3 : 1
  return { start, end, isAddress: isAddress && !isFile(text, end) }
}

/** Of the character that stands here; 0: it is part of no run. Beyond ASCII, what is encoded is a letter. */
function lengthInRun(text: string, at: number): number {
  if (text[at] === '%') return isAt(text, at) || /^%[89a-f][0-9a-f]$/i.test(text.slice(at, at + 3)) ? 3 : 0
  return text[at] === '@' || isRun(text[at]) ? 1 : 0
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const UUID_LENGTH = 36

/** A group of digits of an id is nobody's code. */
function isInId(text: string, at: number, end: number): boolean {
  if (end - at >= UUID_LENGTH || !/^[0-9a-f-]+$/i.test(text.slice(at, end))) return false
  const from = Math.max(0, end - UUID_LENGTH)
  const ids = text.slice(from, at + UUID_LENGTH).matchAll(UUID)
  return ids.some(({ index }) => from + index <= at && from + index + UUID_LENGTH >= end)
}

/** A value may begin here: `joanna@x.org` and `jo.anna@x.org` are others than `anna@x.org`, and in file names much stands before a code. */
function mayBegin(text: string, at: number, isAddress: boolean): boolean {
  if (endsWord(text, at)) return false
  if (!isAddress) return true
  const before = text[at - 1] ?? ' '
  return before !== '_' && !('.+-@'.includes(before) && (endsWord(text, at - 1) || text[at - 2] === '_'))
}

/** The address is a longer one: `anna@x.org.au` is, `anna@x.org.png` is the name of a file, and a sentence ends with a dot. */
function goesOn(text: string, end: number): boolean {
  if (text[end] !== '.' || !isWord(text[end + 1])) return false
  let last = end
  for (let length = 1; length > 0 && last < end + LONGEST_ENDING; length = lengthInRun(text, last)) last += length
  return !isFile(text, last)
}

/** It may end here. `anna.berg@x.org` is not of the code `anna`; the address of a messenger may begin with a number. */
function mayEnd(text: string, at: number, end: number, isAddress: boolean, run: Run): boolean {
  if (isWord(text[end])) return false
  if (isAddress) return !goesOn(text, end)
  const isNumber = run.start === at && isAt(text, end) && /\d/.test(text.slice(at, end))
  return (!run.isAddress || isNumber) && !isInId(text, at, end)
}

/** What several forms begin with is compared once for all of them. */
export interface Branch {
  label: string
  /** What kind of form ends with the label; null: none does. */
  ends: 'address' | 'other' | null
  /** By the first character of their labels. */
  next: Map<string, Branch>
}

/** As it may be written: in any case, with its accents in either form, plain and encoded in the ways of programs. */
function* spellings(value: string): Generator<string> {
  for (const cased of [value, value.toLowerCase(), value.toUpperCase()])
    for (const text of [cased, cased.toWellFormed().normalize('NFC'), cased.toWellFormed().normalize('NFD')]) {
      const strictly = strictlyEncoded(text)
      yield text
      yield strictly
      yield strictly.replaceAll('%20', '+')
      yield encodeURIComponent(text.toWellFormed())
      yield encodeURI(text.toWellFormed())
    }
}

export function formsOf(values: readonly string[]): Branch {
  const root: Branch = { label: '', ends: null, next: new Map() }
  for (const value of values)
    for (const form of new Set([...spellings(value)].map(folded))) {
      const branch = branchOf(root, form)
      if (branch.ends !== 'other') branch.ends = value.includes('@') ? 'address' : 'other'
    }
  return root
}

/** The branch that ends with the form, made where there is none. */
function branchOf(root: Branch, form: string): Branch {
  let branch = root
  for (let at = 0; at < form.length; ) {
    const first = form.charAt(at)
    const next = branch.next.get(first) ?? { label: form.slice(at), ends: null, next: new Map() }
    let same = 1
    while (same < next.label.length && next.label[same] === form[at + same]) same++
    if (same === next.label.length) {
      branch.next.set(first, next)
      branch = next
    } else {
      const shared: Branch = { label: next.label.slice(0, same), ends: null, next: new Map() }
      branch.next.set(first, shared)
      next.label = next.label.slice(same)
      shared.next.set(next.label.charAt(0), next)
      branch = shared
    }
    at += same
  }
  return branch
}

/** Where the longest form ends that stands here as a whole; 0: none does. */
function endAt(forms: Branch, text: string, searched: string, at: number, runAt: (at: number) => Run): number {
  let branch = forms.next.get(searched.charAt(at))
  if (!branch || !mayBegin(text, at, false)) return 0
  const mayBeAddress = mayBegin(text, at, true)
  const run = runAt(at)
  let end = 0
  for (
    let here = at;
    branch && searched.startsWith(branch.label, here);
    branch = branch.next.get(searched.charAt(here))
  ) {
    here += branch.label.length
    const isAddress = branch.ends === 'address'
    if (branch.ends && (!isAddress || mayBeAddress) && mayEnd(text, at, here, isAddress, run)) end = here
  }
  return end
}

/** Looks at each place of the text once, however many forms there are. Those that overlap go as one. */
export function withoutForms(text: string, searched: string, forms: Branch): string {
  let kept = ''
  let done = 0
  const runAt = runsOf(text)
  for (let at = 0; at + LEAST_INSIDE <= searched.length; at++) {
    const end = endAt(forms, text, searched, at, runAt)
    if (end <= done) continue
    if (at >= done) kept += text.slice(done, at) + MASK
    done = end
  }
  return done === 0 ? text : kept + text.slice(done)
}
