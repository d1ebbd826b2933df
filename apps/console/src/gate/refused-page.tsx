import { ClientError, explainError } from "@lango/client";
import { useClient } from "@lango/client/react";
import { useEffect } from "react";
import { ErrorPage } from "../pages/errors/error-page.tsx";
import { PendingPage } from "../pages/pending/pending-page.tsx";
import { UnlessSuspended } from "../pages/sign-in/suspended-page.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { approvalMilliseconds } from "../session/use-approval.ts";
import { useSlug } from "../tenant/use-slug.ts";

type RefusedPage = { error: unknown; reset: () => void };

/** In place of a page that threw: why its main query was refused to the person (§7), else that it is broken. */
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
 * Somebody who was let in before waits for approval again. The profile is asked for, by which the gate goes to the pending page; where
 * only a service has them wait, its page is asked for again later.
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
