import { useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import { PlansLink } from "./plans-link.tsx";
import { useNoticeTexts } from "./texts.ts";
import { dismissToast, endToasts, type Toast, useToasts } from "./toast.ts";

const looks: Readonly<Record<Toast["kind"], string>> = {
	done: "border-done bg-done-wash text-done",
	warning: "border-warning bg-warning-wash text-warning",
	error: "border-error bg-error-wash text-error",
};

/**
 * The toasts over the page, announced by screen readers. The region always exists, because a new region may
 * not be announced. They end when the page changes.
 */
export function Toasts() {
	const toasts = useToasts();
	const router = useRouter();
	useEffect(
		() => router.subscribe("onBeforeNavigate", ({ pathChanged }) => pathChanged && endToasts()),
		[router],
	);
	const words = useNoticeTexts();
	const place = useRef<HTMLElement>(null);
	const isAbove = useIsInTheWay(place, toasts);
	return (
		<section
			ref={place}
			aria-label={words.notices}
			aria-live="polite"
			className={`pointer-events-none fixed inset-x-4 z-20 grid justify-items-end gap-2 print:hidden ${isAbove ? "top-4" : "bottom-4"}`}
		>
			{toasts.map((toast) => (
				<div
					key={toast.id}
					className={`pointer-events-auto flex w-full max-w-md items-start gap-4 rounded-lg border-l-4 px-4 py-2 shadow-lg ${looks[toast.kind]}`}
				>
					<p className="min-w-0 grow py-2 wrap-anywhere">
						{toast.text} {toast.isUpgrade && <PlansLink />}
					</p>
					<button
						type="button"
						onClick={() => dismissToast(toast.id)}
						className="min-h-11 shrink-0 font-semibold underline decoration-1 underline-offset-4 hover:decoration-2"
					>
						{words.dismiss}
					</button>
				</div>
			))}
		</section>
	);
}

const marginPixels = 20;

/** Whether the toasts would hide at the end of the window what has the focus of the keyboard. */
function useIsInTheWay(place: RefObject<HTMLElement | null>, toasts: readonly Toast[]): boolean {
	const [isInTheWay, setInTheWay] = useState(false);
	useEffect(() => {
		// Asked for after the browser has scrolled to what got the focus.
		const look = () => requestAnimationFrame(() => setInTheWay(isFocusBelow(place.current)));
		look();
		if (toasts.length === 0) return;
		addEventListener("focusin", look);
		return () => removeEventListener("focusin", look);
	}, [place, toasts]);
	return isInTheWay;
}

function isFocusBelow(place: HTMLElement | null): boolean {
	const [held, first] = [document.activeElement, place?.firstElementChild];
	if (!place || !first || !held?.matches(":focus-visible") || place.contains(held)) return false;
	const { right, top, bottom } = held.getBoundingClientRect();
	const start = innerHeight - place.offsetHeight - marginPixels;
	return bottom > start && top < innerHeight && right > first.getBoundingClientRect().left;
}
