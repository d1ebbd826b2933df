import type { ReactNode } from "react";
import type { GateState } from "../gate/gate.tsx";
import { GateFrame } from "./gate-frame.tsx";

type NoticePage = { title: string; text: string; advice?: string; gate?: GateState; children?: ReactNode };

/** A page with a message, advice and links. */
export function NoticePage({ title, text, advice, gate = "closed", children }: NoticePage) {
	return (
		<GateFrame title={title} gate={gate} announce>
			<p className="mt-4 text-lg wrap-anywhere">{text}</p>
			{advice !== undefined && <p className="mt-3 text-quiet">{advice}</p>}
			{children !== undefined && <div className="mt-8 flex flex-wrap gap-3">{children}</div>}
		</GateFrame>
	);
}
