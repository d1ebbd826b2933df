import { useClient } from "@lango/client/react";
import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useApproval } from "../../session/use-approval.ts";
import { useSlug, useTenant } from "../../tenant/use-tenant.ts";
import { useTexts } from "../../texts/texts.ts";
import { usePendingTexts } from "./texts.ts";

/**
 * Shown to a user who waits for approval. The status is checked every 15 seconds; after approval the gate
 * opens the profile (§3).
 */
export function PendingPage() {
	const slug = useSlug();
	const client = useClient();
	const tenant = useTenant();
	const words = usePendingTexts();
	const { signOut } = useTexts();
	useApproval();
	return (
		<PlainPage title={words.title} text={words.text(tenant?.name ?? slug)} advice={words.advice}>
			<Button onClick={() => void client.signOut()}>{signOut}</Button>
		</PlainPage>
	);
}
