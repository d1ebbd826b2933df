import type { Ref } from "react";
import type { Explanation } from "./explain-refusal.ts";

export const faultNoticeId = "fault";

/** What is wrong, for eyes and screen readers. The region is always there: one that appears with its words may go unread. */
export function FaultNotice({
	ref,
	explained,
}: {
	ref: Ref<HTMLDivElement>;
	explained: Explanation | undefined;
}) {
	return (
		<div ref={ref} id={faultNoticeId} role="alert" tabIndex={-1}>
			{explained && (
				<div className="mb-6 rounded-lg border-l-4 border-fault bg-fault-wash px-4 py-3 text-fault">
					<p>{explained.message}</p>
					{explained.reference && <p className="mt-1 text-base wrap-anywhere">{explained.reference}</p>}
				</div>
			)}
		</div>
	);
}
