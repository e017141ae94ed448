// The chain as a graph: drag the entries, draw a line from a file to the entry that takes it.
import {
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { FileInput, Flag, X } from 'lucide-react'
import { createContext, type DragEvent, useContext, useEffect, useMemo } from 'react'
import { useTheme } from '../theme.ts'
import { connect, depth, descends, type Link } from './model.ts'

export const FILE = 'file'
const WIDTH = 214
const HEIGHT = 104

interface Actions {
  remove(key: string): void
  label(name: string): string
}
const ActionsContext = createContext<Actions>({ remove: () => {}, label: () => '' })

type EntryData = { index: number; name: string; isLast: boolean }
type EntryNode = Node<EntryData, 'entry'>
type FileNode = Node<Record<string, never>, 'file'>

const handle = '!size-4 !rounded-full !border-2 !border-card !bg-ink'

function FileBox() {
  return (
    <div className="flex items-center gap-2.5 rounded-card bg-ink px-4 py-3 text-card shadow-card">
      <FileInput aria-hidden className="size-5" /> <span className="font-semibold">The file sent in</span>
      <Handle
        type="source"
        position={Position.Right}
        className={`${handle} !bg-marker`}
        title="The file sent in: draw from here"
      />
    </div>
  )
}

function EntryBox({ id, data }: NodeProps<EntryNode>) {
  const actions = useContext(ActionsContext)
  return (
    <div className="w-49 rounded-card border border-edge bg-card px-4 py-2.5 shadow-card">
      <Handle type="target" position={Position.Left} className={handle} title={`Entry ${data.index}: draw to here`} />
      <div className="flex items-center justify-between">
        <span className="edgeprint">▸ {data.index}</span>
        <button
          type="button"
          aria-label={`Remove entry ${data.index}, ${data.name}`}
          onClick={() => actions.remove(id)}
          className="nodrag grid size-6 place-items-center rounded text-soft hover:bg-ink/7 hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      </div>
      <p className="truncate font-semibold" title={data.name}>
        {data.name}
      </p>
      <p className="flex items-center gap-1.5 truncate text-[12.5px] text-soft">
        {data.isLast && <Flag aria-hidden className="size-3.5 shrink-0" />}
        {data.isLast ? 'its file is the result' : actions.label(data.name)}
      </p>
      <Handle
        type="source"
        position={Position.Right}
        className={handle}
        title={`What entry ${data.index} makes: draw from here`}
      />
    </div>
  )
}

const nodeTypes = { file: FileBox, entry: EntryBox }

interface Props extends Actions {
  links: Link[]
  onChange(links: Link[]): void
  onDropName(name: string): void
}

export const ChainGraph = (props: Props) => (
  <ReactFlowProvider>
    <Canvas {...props} />
  </ReactFlowProvider>
)

function Canvas({ links, onChange, onDropName, remove, label }: Props) {
  const theme = useTheme()
  const flow = useReactFlow()
  const [nodes, setNodes, onNodesChange] = useNodesState<EntryNode | FileNode>([])
  const edges = useMemo<Edge[]>(
    () =>
      links.map(({ key, input }) => ({
        id: `to-${key}`,
        source: input ?? FILE,
        target: key,
        deletable: input !== null,
        style: { strokeWidth: 2 },
        ariaLabel: 'takes its file from',
      })),
    [links],
  )
  // Entries keep the place they were dragged to; new ones are put where their depth says.
  useEffect(() => {
    setNodes(before => {
      const places = new Map(before.map(({ id, position }) => [id, position]))
      const rows = new Map<number, number>()
      const entries = links.map((link, index): EntryNode => {
        const column = depth(links, link.key)
        const row = rows.get(column) ?? 0
        rows.set(column, row + 1)
        return {
          id: link.key,
          type: 'entry',
          position: places.get(link.key) ?? { x: column * (WIDTH + 40), y: row * (HEIGHT + 24) },
          data: { index, name: link.name, isLast: index === links.length - 1 },
          ariaLabel: `Entry ${index}: ${link.name}`,
        }
      })
      const file: FileNode = {
        id: FILE,
        type: 'file',
        position: places.get(FILE) ?? { x: 0, y: 22 },
        data: {},
        deletable: false,
        ariaLabel: 'The file sent in',
      }
      return [file, ...entries]
    })
  }, [links, setNodes])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new entry must come into view, a moved one must not move the view.
  useEffect(() => {
    const timer = setTimeout(() => void flow.fitView({ padding: 0.18, maxZoom: 1 }), 60)
    return () => clearTimeout(timer)
  }, [links.length, flow])

  const input = (source: string | null) => (source === FILE ? null : source)
  const drop = (event: DragEvent) => {
    const name = event.dataTransfer.getData('application/x-keepsake-configuration')
    if (!name) return
    event.preventDefault()
    onDropName(name)
  }
  return (
    <ActionsContext value={{ remove, label }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is the extra way; the list beside the graph adds by keyboard. */}
      <div className="h-[min(46dvh,400px)] min-h-64" onDragOver={event => event.preventDefault()} onDrop={drop}>
        <ReactFlow
          aria-label="The chain as a graph"
          colorMode={theme}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          onNodesChange={onNodesChange}
          onConnect={({ source, target }) => onChange(connect(links, target, input(source)))}
          isValidConnection={({ source, target }) =>
            target !== FILE && source !== target && !descends(links, input(source), target)
          }
          onNodesDelete={gone => {
            for (const { id } of gone) if (id !== FILE) remove(id)
          }}
          onEdgesDelete={gone => onChange(gone.reduce((now, { target }) => connect(now, target, null), links))}
          fitView
          fitViewOptions={{ padding: 0.18, maxZoom: 1 }}
          minZoom={0.25}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={22} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </ActionsContext>
  )
}
