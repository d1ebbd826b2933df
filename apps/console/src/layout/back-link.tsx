import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentProps } from "react";

function Anchor({ children, ...anchor }: ComponentProps<"a">) {
	return (
		<a
			{...anchor}
			className="mb-2 inline-flex min-h-11 items-center gap-2 font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 print:hidden"
		>
			<span aria-hidden="true">←</span> {children}
		</a>
	);
}

const Linked = createLink(Anchor);

/** The link to the parent page, above the heading. */
export const BackLink: LinkComponent<typeof Anchor> = (props) => <Linked {...props} />;
