import { ClientError } from "@lango/client";
import { buttonLook } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { ErrorPage } from "../error-page.tsx";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { BadInvitation } from "../join/bad-invitation.tsx";
import { invitationQuery, isInvitationInvalid } from "../join/invitation.queries.ts";
import { InvitationLead } from "../join/invitation-lead.tsx";
import { NoticePage } from "../notice-page.tsx";
import { registerAndSignIn } from "./register.queries.ts";
import { PersonFields, type Registered } from "./register-form.tsx";

const route = getRouteApi("/register");

/** Accepts an invitation as a new person. If the address is registered, they sign in and accept. */
export function InvitedPage({ invitation, onRegistered }: { invitation: string; onRegistered: Registered }) {
	const { authUrl } = useSettings();
	const { invitation: words, opening, profile, register } = useTexts();
	const found = useQuery(invitationQuery(authUrl, invitation));
	const navigate = useNavigate();
	// It ends where the link of the invitation pointed.
	const { return_to } = route.useSearch();
	const search = return_to === undefined ? {} : { return_to };
	const state = { emailHint: found.data?.email ?? "" };
	const hash = `invitation=${invitation}`;
	const signIn = () => navigate({ to: "/join", search, hash, state, replace: true });
	const attempt = useMutation({
		mutationFn: (entered: Entered) => registerAndSignIn(authUrl, { kind: "invited", invitation }, entered),
		onSuccess: onRegistered,
		onError: (error) => error instanceof ClientError && error.code === "email_taken" && signIn(),
	});
	if (isInvitationInvalid(found.error)) return <BadInvitation />;
	if (found.error !== null) return <ErrorPage failure={found.error} onRetry={() => found.refetch()} />;
	if (found.data === undefined) return <NoticePage title={opening.title} text={profile.loading} />;
	const { email, tenant_name } = found.data;
	return (
		<GateFrame title={words.title(tenant_name)} announce>
			<InvitationLead invitation={found.data} />
			<SentForm
				submit={words.submit}
				submitting={register.submitting}
				required={["name", "password"]}
				isBusy={attempt.isPending || attempt.isSuccess}
				isDone={attempt.isSuccess}
				failure={attempt.error}
				focusFirst="name"
				keptAs={`${tenant_name} ${email}`}
				onSubmit={(entered) => attempt.mutate(entered)}
			>
				{(validity) => <PersonFields validity={validity} isBusy={attempt.isPending} email={email} />}
			</SentForm>
			<div className="mt-6 flex flex-wrap items-center gap-x-3 text-quiet">
				<span>{register.known}</span>
				<Link to="/join" search={search} hash={hash} state={state} className={buttonLook("quiet")}>
					{words.signIn}
				</Link>
			</div>
		</GateFrame>
	);
}
