import { useProfile } from "@lango/client/react";
import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useUnauthorizedTexts } from "./texts.ts";

/** Shown for a page of a product that the plan does not include (§2.6). */
export function ProductMissingPage({ product }: { product: string }) {
	const { home, product: words } = useUnauthorizedTexts();
	const { products } = useTexts();
	const profile = useProfile();
	return (
		<PlainPage title={words.title} text={words.text(wordFor(products, product))}>
			<Link
				to="/$slug/subscribe"
				params={{ slug: profile?.tenantSlug ?? "" }}
				className={buttonLook("action")}
			>
				{words.plans}
			</Link>
			<Link to="/" className={buttonLook("plain")}>
				{home}
			</Link>
		</PlainPage>
	);
}
