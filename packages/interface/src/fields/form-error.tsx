import type { ReactNode, Ref } from "react";

/** The id of a form's error. The invalid field refers to it by `aria-describedby`. */
export const formErrorId = "form-error";

type FormError = {
	ref?: Ref<HTMLDivElement>;
	/** What failed and what to do. Undefined if nothing failed. */
	message: string | undefined;
	/** The reference for support. */
	reference?: string | undefined;
	/** Content after the message, for example a link to the page that solves the problem. */
	children?: ReactNode;
};

/**
 * The error of a form. The live region is always rendered, because screen readers may ignore a region that is
 * inserted with its text.
 */
export function FormError({ ref, message, reference, children }: FormError) {
	return (
		<div ref={ref} id={formErrorId} role="alert" tabIndex={-1}>
			{message !== undefined && (
				<div className="mb-6 rounded-lg border-l-4 border-error bg-error-wash px-4 py-3 text-error">
					<p>
						{message} {children}
					</p>
					{reference !== undefined && <p className="mt-1 text-base wrap-anywhere">{reference}</p>}
				</div>
			)}
		</div>
	);
}
