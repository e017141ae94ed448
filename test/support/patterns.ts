// Tells whether a pattern can ever take more than linear time, by rules that are stricter than need be and simple to check.
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import {
  getConsumedChars,
  getFirstConsumedChar,
  getFirstConsumedCharAfter,
  hasSomeAncestor,
  hasSomeDescendant,
  isPotentiallyEmpty,
} from 'regexp-ast-analysis'

/** As often something may be repeated and still count as a constant. */
const FEW = 512
const parser = new RegExpParser()

/**
 * Why a pattern may be slow, or null. It is fast when each repetition knows by the next character alone whether to go on or to
 * end, so that nothing is ever tried a second way, and when no search begins inside of what an earlier one ran over.
 */
export function slowness(source: string, flagText: string): string | null {
  const flags = parser.parseFlags(flagText)
  const { unicode, unicodeSets } = flags
  const pattern = parser.parsePattern(source, 0, source.length, { unicode, unicodeSets })
  const first = getFirstConsumedChar(pattern.alternatives, 'ltr', flags).char
  const isAnchored = flags.sticky || (!flags.multiline && pattern.alternatives.every(beginsAtStart))
  let why: string | null = null

  function look(q: AST.Quantifier): string | null {
    if (!isLong(q) && !inLoop(q)) return null
    if (hasSomeAncestor(q, node => node.type === 'Assertion' && !isOnce(node)))
      return 'is repeated inside a look ahead or behind'
    if (isPotentiallyEmpty(q.element, flags)) return 'repeats what may be empty'
    const always = acceptsAlways(q)
    const next = getFirstConsumedCharAfter(q, 'ltr', flags).char
    const own = getFirstConsumedChar(q.element, 'ltr', flags).char
    const isOpen = q.min !== q.max && !own.isDisjointWith(next)
    if (isOpen && !always && (inLoop(q) || isLongAfter(q))) return 'may end at several places'
    const run = getConsumedChars(q.element, flags).chars
    if (isLong(q) && !isAnchored && !always && !run.isDisjointWith(first))
      return 'runs over places where a search begins'
    return null
  }

  /** A look that is taken once: at the start, before anything is run over. */
  function isOnce(look: AST.Assertion): boolean {
    const { parent } = look
    if (!isAnchored || parent.type !== 'Alternative' || parent.parent.type !== 'Pattern') return false
    return parent.elements.slice(0, parent.elements.indexOf(look)).every(({ type }) => type === 'Assertion')
  }

  function lookAtAlternatives(node: AST.Group | AST.CapturingGroup): string | null {
    if (!inLoop(node)) return null
    const firsts = node.alternatives.map(each => getFirstConsumedChar(each, 'ltr', flags).char)
    const alike = firsts.some((one, i) => firsts.slice(i + 1).some(other => !one.isDisjointWith(other)))
    return alike ? 'repeats alternatives that begin alike' : null
  }

  /** Whatever comes behind it may be empty, so that a match is sure once it is reached. */
  function acceptsAlways(node: Repeated): boolean {
    const { parent } = node
    if (parent.type === 'Quantifier') return parent.min <= 1 && acceptsAlways(parent)
    const rest = behind(node)
    if (
      rest.some(each => !isPotentiallyEmpty(each, flags) || hasSomeDescendant(each, ({ type }) => type === 'Assertion'))
    )
      return false
    const above = (parent as AST.Alternative).parent
    if (above.type === 'Pattern') return true
    return above.type === 'Assertion' ? false : acceptsAlways(above)
  }

  const found = (node: AST.Node, reason: string | null): void => {
    if (reason !== null) why ??= `${node.raw} ${reason}`
  }
  visitRegExpAST(pattern, {
    onQuantifierEnter: q => found(q, look(q)),
    onGroupEnter: node => found(node, lookAtAlternatives(node)),
    onCapturingGroupEnter: node => found(node, lookAtAlternatives(node)),
    onBackreferenceEnter: node => found(node, 'refers back'),
  })
  return why
}

const isLong = (node: AST.Node): node is AST.Quantifier => node.type === 'Quantifier' && node.max > FEW
const inLoop = (node: AST.Node): boolean => hasSomeAncestor(node, isLong)
const beginsAtStart = ({ elements: [element] }: AST.Alternative): boolean =>
  element?.type === 'Assertion' && element.kind === 'start'

/** What may be repeated, or stand around it. */
type Repeated = AST.Quantifier | AST.Group | AST.CapturingGroup

/** What follows in the same alternative. */
function behind(node: Repeated): AST.Element[] {
  const { elements } = node.parent as AST.Alternative
  return elements.slice(elements.indexOf(node) + 1)
}

/** Whether something long may still be run over behind it. */
function isLongAfter(node: Repeated): boolean {
  const { parent } = node
  if (parent.type === 'Quantifier') return isLongAfter(parent)
  if (behind(node).some(each => hasSomeDescendant(each, isLong))) return true
  const above = (parent as AST.Alternative).parent
  return above.type === 'Group' || above.type === 'CapturingGroup' ? isLongAfter(above) : false
}
