import type { ReactNode } from "react";

const looks = {
	done: "border-done bg-done-wash text-done",
	warning: "border-warning bg-warning-wash text-warning",
	error: "border-error bg-error-wash text-error",
	plain: "border-edge bg-field",
} as const;

/** A message that stays on the page: `done` for success, `warning`, `error`, or `plain`. */
export function Notice({ kind, children }: { kind: keyof typeof looks; children: ReactNode }) {
	return (
		<div
			role={kind === "error" ? "alert" : "status"}
			className={`rounded-lg border-l-4 px-4 py-3 ${looks[kind]}`}
		>
			{children}
		</div>
	);
}
