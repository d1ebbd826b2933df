import { useClient, useClientState } from "@lango/client/react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useExplain } from "../notices/explain.ts";
import { showToast } from "../notices/toast.ts";
import { usePlatform } from "../platform.ts";
import { withNext } from "../session/next-path.ts";
import { outletsQuery } from "../tenant/tenant.queries.ts";
import { useTexts } from "../texts/texts.ts";
import { useLayoutTexts } from "./texts.ts";

const look =
	"min-h-11 max-w-36 truncate rounded-lg border border-panel-quiet px-3 font-semibold hover:border-panel-ink sm:max-w-64";

/**
 * The current outlet, and a control to change it. A user with an outlet in the token changes it for the
 * whole session; others change it for these pages.
 */
export function OutletSwitch({ slug }: { slug: string }) {
	const state = useClientState();
	const outlets = useQuery({ ...outletsQuery(usePlatform(), slug), enabled: state.status === "ready" });
	const words = useLayoutTexts();
	const { allOutlets } = useTexts();
	if (state.status !== "ready" || state.profile.tenantSlug !== slug) return null;
	const { outlet, outletScope, profile } = state;
	if (outlet.kind === "none" || (outlets.data?.length ?? 0) < 2) return null;
	const name =
		outlet.kind === "selected" ? outlets.data?.find(({ id }) => id === outlet.outletId)?.name : allOutlets;
	const label = `${words.changeOutlet}: ${name ?? ""}`;
	if (profile.outletId !== "" && outletScope.kind !== "all")
		return <SessionOutlet label={label} name={name ?? ""} />;
	return (
		<Link
			to="/$slug/select-outlet"
			params={{ slug }}
			search={{ next: nextHere() }}
			aria-label={label}
			className={`flex items-center ${look}`}
		>
			<span className="truncate">{name}</span>
		</Link>
	);
}

const nextHere = () => new URL(withNext("/"), location.origin).searchParams.get("next") ?? "/";

/** Changes the outlet of the session. The sign-on service first issues a token for the choice (§5.15). */
function SessionOutlet({ label, name }: { label: string; name: string }) {
	const client = useClient();
	const explain = useExplain();
	const change = () =>
		client.switchOutlet().catch((error: unknown) => showToast("error", explain(error).text));
	return (
		<button type="button" aria-label={label} onClick={() => void change()} className={look}>
			{name}
		</button>
	);
}
