import type { CursorPages } from "@lango/interface";
import { type ReactNode, useRef } from "react";

type ListFrame = { pages: CursorPages; children: (pages: CursorPages) => ReactNode };

/** Goes to the top of the list when another page is opened, with the focus of the keyboard. */
export function ListFrame({ pages, children }: ListFrame) {
	const frame = useRef<HTMLDivElement>(null);
	const toTop = () => {
		frame.current?.scrollIntoView();
		frame.current?.focus({ preventScroll: true });
	};
	const next = (cursor: string) => {
		pages.next(cursor);
		toTop();
	};
	const previous = () => {
		pages.previous();
		toTop();
	};
	return (
		<div ref={frame} tabIndex={-1} className="scroll-mt-32 outline-none">
			{children({ ...pages, next, previous })}
		</div>
	);
}
