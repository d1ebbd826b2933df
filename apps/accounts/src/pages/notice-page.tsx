import type { ReactNode } from "react";
import type { GateState } from "../gate/gate.tsx";
import { PageFrame } from "./page-frame.tsx";

type Notice = { title: string; text: string; advice: string; gate?: GateState; children?: ReactNode };

/** A page that says one thing: what is the case, what to do about it, and at most one way on. */
export function NoticePage({ title, text, advice, gate = "closed", children }: Notice) {
	return (
		<PageFrame title={title} gate={gate} announce>
			<p className="mt-4 text-lg wrap-anywhere">{text}</p>
			<p className="mt-3 text-quiet">{advice}</p>
			{children !== undefined && <div className="mt-8">{children}</div>}
		</PageFrame>
	);
}

/** How links and buttons that lead on from a notice look. */
export const wayOn =
	"inline-flex min-h-12 items-center justify-center rounded-lg border border-edge px-5 py-2 text-center font-semibold text-link " +
	"hover:border-link hover:bg-field";
