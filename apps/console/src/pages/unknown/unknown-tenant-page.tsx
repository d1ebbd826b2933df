import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../frame/plain-page.tsx";
import { useUnknownTexts } from "./texts.ts";

/** An address that begins with a slug nobody has: said here, before the sign-on service refuses it. */
export function UnknownTenantPage({ slug }: { slug: string }) {
	const { unknown, unknownTenant: words } = useUnknownTexts();
	return (
		<PlainPage title={words.title} text={words.text(slug)} advice={words.advice}>
			<Link to="/" className={buttonLook("plain")}>
				{unknown.home}
			</Link>
		</PlainPage>
	);
}
