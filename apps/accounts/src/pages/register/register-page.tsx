import { buttonLook } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { applicationAddress } from "../../session/application.ts";
import { readFragment } from "../../session/read-fragment.ts";
import { returnAddress } from "../../session/return-to.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { GateFrame } from "../gate-frame.tsx";
import { InvitedPage } from "./invited-page.tsx";
import { type Registered, RegisterForm } from "./register-form.tsx";

const route = getRouteApi("/register");

/** `/register?tenant=…&return_to=…#invitation=…`: registration (§4.1). All parameters are optional. */
export function RegisterPage() {
	const [invitation] = useState(() => readFragment("invitation"));
	const open = useOpenNext();
	return invitation === undefined ? (
		<Uninvited onRegistered={open} />
	) : (
		<InvitedPage invitation={invitation} onRegistered={open} />
	);
}

function Uninvited({ onRegistered }: { onRegistered: Registered }) {
	const search = route.useSearch();
	const { register: words } = useTexts();
	return (
		<GateFrame title={words.title} announce>
			<p className="mt-3 text-quiet">{words.lead}</p>
			<RegisterForm tenant={search.tenant} onRegistered={onRegistered} />
			<div className="mt-6 flex flex-wrap items-center gap-x-3 text-quiet">
				<span>{words.known}</span>
				<Link to="/login" search={search} className={buttonLook("quiet")}>
					{words.signIn}
				</Link>
			</div>
		</GateFrame>
	);
}

/**
 * Returns what opens next after a registration: the application that the person came from, or the console of
 * their organisation. People who must wait see that; those whose sign-in failed sign in. It takes the place
 * of this page in the history: "back" shows neither the sent form nor the used value of an invitation.
 */
function useOpenNext(): Registered {
	const settings = useSettings();
	const navigate = route.useNavigate();
	const queries = useQueryClient();
	const { return_to } = route.useSearch();
	return async ({ joined: { user, tenant, status }, isSignedIn }) => {
		const waits = status !== "active";
		const back = returnAddress(return_to, settings);
		const next = back ?? applicationAddress(settings, tenant.slug);
		const search = back === undefined || return_to === undefined ? {} : { return_to };
		const registered = { email: user.email, tenant: tenant.name, waits };
		for (const key of ["me", "session"]) queries.removeQueries({ queryKey: [key] });
		if (!isSignedIn) return navigate({ to: "/login", search, state: { registered }, replace: true });
		if (waits) return navigate({ to: "/pending", replace: true });
		return next === undefined ? navigate({ to: "/profile", replace: true }) : location.replace(next);
	};
}
