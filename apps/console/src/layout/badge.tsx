import type { ReactNode } from "react";

const looks = {
	done: "bg-done-wash text-done",
	warning: "bg-warning-wash text-warning",
	error: "bg-error-wash text-error",
	plain: "bg-hair text-ink",
} as const;

/** A short status text. The colour only repeats the meaning. */
export function Badge({ kind = "plain", children }: { kind?: keyof typeof looks; children: ReactNode }) {
	return (
		<span className={`inline-block rounded-md px-2 py-0.5 text-base font-normal wrap-normal ${looks[kind]}`}>
			{children}
		</span>
	);
}
