import type { ReactNode } from "react";

const looks = {
	done: "border-done bg-done-wash text-done",
	heed: "border-heed bg-heed-wash text-heed",
	fault: "border-fault bg-fault-wash text-fault",
} as const;

/** A message that stays on the page: `done` for success, `heed` for a warning, `fault` for an error. */
export function Notice({ kind, children }: { kind: keyof typeof looks; children: ReactNode }) {
	return (
		<div
			role={kind === "fault" ? "alert" : "status"}
			className={`rounded-lg border-l-4 px-4 py-3 ${looks[kind]}`}
		>
			{children}
		</div>
	);
}
