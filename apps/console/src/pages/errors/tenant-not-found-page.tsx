import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useErrorTexts } from "./texts.ts";

/** Shown if no tenant has the slug in the address, before the sign-on service refuses it. */
export function TenantNotFoundPage({ slug }: { slug: string }) {
	const { unknown, unknownTenant: words } = useErrorTexts();
	return (
		<PlainPage title={words.title} text={words.text(slug)} advice={words.advice}>
			<Link to="/" className={buttonLook("plain")}>
				{unknown.home}
			</Link>
		</PlainPage>
	);
}
