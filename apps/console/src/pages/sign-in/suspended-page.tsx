import { useClient, useProfile } from "@lango/client/react";
import type { PublicTenant } from "@lango/contracts";
import { Button, buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PlainPage } from "../../layout/plain-page.tsx";
import { usePlatform } from "../../platform.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { LoadingPage } from "../loading/loading-page.tsx";
import { useSignInTexts } from "./texts.ts";

type UnlessSuspended = {
	/** The slug of the tenant that refused access, or undefined. */
	tenant: string | undefined;
	/** Shown if the tenant is not suspended, so there was another reason. */
	children: ReactNode;
};

/**
 * Shows that a tenant is suspended instead of a general refusal. The cached public tenant may be hours old,
 * so it is loaded again.
 */
export function UnlessSuspended({ tenant: slug, children }: UnlessSuspended) {
	const { data, isFetching } = useQuery({
		...tenantQuery(usePlatform(), slug),
		staleTime: 0,
		refetchOnMount: "always",
	});
	if (isFetching) return <LoadingPage />;
	return data?.status === "suspended" ? <SuspendedPage tenant={data} /> : children;
}

function SuspendedPage({ tenant }: { tenant: PublicTenant }) {
	const client = useClient();
	const profile = useProfile();
	const own = useQuery(tenantQuery(usePlatform(), profile?.tenantSlug)).data;
	const { otherTenant, suspended: words } = useSignInTexts();
	const slug = profile?.tenantSlug;
	return (
		<PlainPage title={words.title(tenant.name)} text={words.text} advice={words.advice}>
			{slug === undefined ? (
				<Button kind="action" onClick={() => void client.signIn({ prompt: "login" }).catch(reportError)}>
					{otherTenant.signIn}
				</Button>
			) : (
				<Link to="/$slug" params={{ slug }} className={buttonLook("action")}>
					{otherTenant.home(own?.name ?? slug)}
				</Link>
			)}
		</PlainPage>
	);
}
