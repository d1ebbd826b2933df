import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { useLayoutTexts } from "./texts.ts";

/**
 * The navigation on a phone: the browser's modal dialog. Escape, a click beside it and navigation close it.
 */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
	const dialog = useRef<HTMLDialogElement>(null);
	const words = useLayoutTexts();
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	useCloseOnMove(onClose);
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog; this is a click beside it
		<dialog
			ref={dialog}
			aria-label={words.menu}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onClick={(event) => {
				if (event.target === event.currentTarget) onClose();
			}}
			className="drawer w-80 max-w-[85vw] overflow-y-auto border-r border-hair bg-wall text-ink"
		>
			<div className="flex min-h-full flex-col">
				<button
					type="button"
					onClick={onClose}
					className="m-2 min-h-11 self-end rounded-lg px-4 font-semibold text-link hover:bg-hair"
				>
					{words.closeMenu}
				</button>
				<div className="grow">{children}</div>
			</div>
		</dialog>
	);
}

function useCloseOnMove(onClose: () => void): void {
	const path = useLocation({ select: ({ pathname }) => pathname });
	const from = useRef(path);
	useEffect(() => {
		if (from.current !== path) onClose();
	}, [path, onClose]);
}
