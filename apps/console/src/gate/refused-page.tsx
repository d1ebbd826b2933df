import { ClientError, explainError } from "@lango/client";
import { useClient } from "@lango/client/react";
import { useEffect } from "react";
import { ErrorPage } from "../pages/errors/error-page.tsx";
import { PendingPage } from "../pages/pending/pending-page.tsx";
import { UnlessSuspended } from "../pages/sign-in/suspended-page.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { approvalMilliseconds } from "../session/use-approval.ts";
import { useSlug } from "../tenant/use-tenant.ts";

type RefusedPage = { error: unknown; reset: () => void };

/**
 * Shown if a page threw an error: the reason if its main query was refused (§7), otherwise a general error.
 */
export function RefusedPage({ error, reset }: RefusedPage) {
	const slug = useSlug();
	const kind = explainError(error);
	if (kind === "pending") return <PendingAgain onLater={reset} />;
	if (kind !== "unauthorized") return <ErrorPage />;
	if (error instanceof ClientError && error.code === "tenant_inactive")
		return (
			<UnlessSuspended tenant={slug}>
				<UnauthorizedPage />
			</UnlessSuspended>
		);
	return <UnauthorizedPage />;
}

/**
 * The user waits for approval again. The profile is renewed, after which the gate opens the pending page.
 * If only a service waits for approval, the page is retried later.
 */
function PendingAgain({ onLater }: { onLater: () => void }) {
	const client = useClient();
	useEffect(() => {
		client.renew().catch(() => undefined);
		const later = setTimeout(onLater, approvalMilliseconds);
		return () => clearTimeout(later);
	}, [client, onLater]);
	return <PendingPage />;
}
