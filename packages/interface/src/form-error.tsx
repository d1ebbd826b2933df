import type { ReactNode, Ref } from "react";

/** The id of a form's error, which its faulty field is described by. */
export const formErrorId = "fault";

type FormError = {
	ref?: Ref<HTMLDivElement>;
	/** What went wrong and what to do; nothing when nothing did. */
	message: string | undefined;
	/** A line for support, when only they can help. */
	reference?: string | undefined;
	/** What helps, after the words: a link to where it is mended. */
	children?: ReactNode;
};

/** What is wrong, for eyes and screen readers. The region is always there: one that appears with its words may go unread. */
export function FormError({ ref, message, reference, children }: FormError) {
	return (
		<div ref={ref} id={formErrorId} role="alert" tabIndex={-1}>
			{message !== undefined && (
				<div className="mb-6 rounded-lg border-l-4 border-fault bg-fault-wash px-4 py-3 text-fault">
					<p>
						{message} {children}
					</p>
					{reference !== undefined && <p className="mt-1 text-base wrap-anywhere">{reference}</p>}
				</div>
			)}
		</div>
	);
}
