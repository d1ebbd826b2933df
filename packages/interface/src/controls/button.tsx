import type { ComponentProps, MouseEvent } from "react";

export type ButtonKind = "action" | "plain" | "danger" | "remove" | "quiet" | "quietRemove";

const everywhere =
	"inline-flex min-h-12 items-center justify-center gap-2 rounded-lg py-2 font-semibold disabled:cursor-progress disabled:opacity-70 aria-disabled:cursor-progress aria-disabled:opacity-70 ";
/** A label is broken between words only, also in a narrow column of a table. */
const framed = "px-5 text-center wrap-normal print:hidden ";
const underlined = "underline decoration-1 underline-offset-4 hover:decoration-2 ";
const looks: Readonly<Record<ButtonKind, string>> = {
	action: `${framed}bg-action text-action-ink hover:bg-action-hover`,
	plain: `${framed}border border-edge text-link hover:border-link hover:bg-field`,
	danger: `${framed}bg-danger text-danger-ink hover:bg-danger-hover`,
	remove: `${framed}border border-edge text-error hover:border-error hover:bg-field`,
	quiet: `${underlined}text-link`,
	quietRemove: `${underlined}text-error`,
};

/**
 * The classes of a button or a link. Use `action` once per page; `danger` to confirm that something is lost
 * or ends, and `remove` and `quietRemove` for the button that asks about it.
 */
export function buttonLook(kind: ButtonKind): string {
	return everywhere + looks[kind];
}

type Button = ComponentProps<"button"> & {
	kind?: ButtonKind;
	/** The label while the action runs. The button is disabled then and keeps the focus. */
	busyText?: string | undefined;
};

/** A button that is large enough for touch; paper has none. The default type is "button". */
export function Button({ kind = "plain", busyText, className = "", children, ...button }: Button) {
	const resting = busyText === undefined ? {} : { "aria-disabled": true, onClick: ignore };
	return (
		<button
			type="button"
			{...button}
			{...resting}
			className={`${buttonLook(kind)} print:hidden ${className}`}
		>
			{busyText ?? children}
		</button>
	);
}

/** Also prevents that the form is submitted. */
function ignore(event: MouseEvent): void {
	event.preventDefault();
}
