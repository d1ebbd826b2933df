import { useClient } from "@lango/client/react";
import { Button } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { PlainPage } from "../../frame/plain-page.tsx";
import { useTenant } from "../../tenant/use-tenant.ts";
import { useTexts } from "../../texts/texts.ts";
import { usePendingTexts } from "./texts.ts";

const route = getRouteApi("/$slug/pending");

/** For who waits to be let in; the client asks every 15 seconds, and the gate goes on to the profile (§3). */
export function PendingPage() {
	const { slug } = route.useParams();
	const client = useClient();
	const tenant = useTenant();
	const words = usePendingTexts();
	const { signOut } = useTexts();
	return (
		<PlainPage title={words.title} text={words.text(tenant?.name ?? slug)} advice={words.advice}>
			<Button onClick={() => void client.signOut()}>{signOut}</Button>
		</PlainPage>
	);
}
