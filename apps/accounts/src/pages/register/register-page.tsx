import { Button, buttonLook, ChoiceField, PasswordField, TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { redirectToSignIn } from "../../session/code-flow.ts";
import { takeFragment } from "../../session/take-fragment.ts";
import { useSettings } from "../../settings.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { JoinFields } from "../join/join-fields.tsx";
import { OrganisationFields } from "../organisation/organisation-fields.tsx";
import { PlanField } from "./plan-field.tsx";
import { register, type Way } from "./register.queries.ts";

const route = getRouteApi("/register");
const person = ["name", "email", "password"] as const;
const required: Readonly<Record<Way["kind"], ReadonlyArray<keyof Texts["missing"]>>> = {
	create_new: [...person, "organization_name", "slug"],
	join_existing: [...person, "tenant_slug"],
	invited: person,
};

/** `/register?tenant=…&return_to=…#invitation=…`: registration (§4.1). All parameters are optional. */
export function RegisterPage() {
	const { tenant } = route.useSearch();
	const [way, setWay] = useState<Way>(() => initialWay(tenant));
	const { register: words } = useTexts();
	const isInvited = way.kind === "invited";
	return (
		<GateFrame title={isInvited ? words.invitedTitle : words.title} announce>
			<p className="mt-3 text-quiet">{isInvited ? words.invitedLead : words.lead}</p>
			<RegisterForm way={way} onWay={setWay} />
			<AlreadyRegistered way={way} />
		</GateFrame>
	);
}

function initialWay(tenant: string | undefined): Way {
	const invitation = takeFragment("invitation");
	if (invitation !== undefined) return { kind: "invited", invitation };
	return { kind: tenant === undefined ? "create_new" : "join_existing" };
}

function RegisterForm({ way, onWay }: { way: Way; onWay: (way: Way) => void }) {
	const { authUrl } = useSettings();
	const navigate = route.useNavigate();
	const { return_to, tenant } = route.useSearch();
	const { field, register: words } = useTexts();
	const attempt = useMutation({
		mutationFn: (entered: Entered) => register(authUrl, way, entered),
		onSuccess: ({ user, tenant: joined, status }) =>
			navigate({
				to: "/login",
				// The sign-in link of another tenant would fail for the new one.
				search: { ...(return_to && { return_to }), ...(tenant === joined.slug && { tenant }) },
				state: { registered: { email: user.email, tenant: joined.name, waits: status !== "active" } },
			}),
	});
	const choices = [
		{ value: "create_new", label: words.createNew, detail: words.createNewDetail },
		{ value: "join_existing", label: words.joinExisting, detail: words.joinExistingDetail },
	];
	return (
		<SentForm
			submit={words.submit}
			submitting={words.submitting}
			required={required[way.kind]}
			isBusy={attempt.isPending || attempt.isSuccess}
			failure={attempt.error}
			onSubmit={(entered) => attempt.mutate(entered)}
		>
			{(validity) => (
				<>
					{way.kind !== "invited" && (
						<ChoiceField
							name="way"
							legend={words.how}
							choices={choices}
							value={way.kind}
							onChoose={(kind) => onWay({ kind: kind === "create_new" ? kind : "join_existing" })}
						/>
					)}
					{way.kind === "join_existing" && <JoinFields validity={validity} slug={tenant ?? ""} />}
					{way.kind === "create_new" && <OrganisationFields validity={validity} />}
					{way.kind === "create_new" && <PlanField />}
					<TextField
						{...validity("name")}
						name="name"
						label={field.name}
						autoComplete="name"
						isProse
						maxLength={200}
					/>
					<TextField
						{...validity("email")}
						name="email"
						type="email"
						label={field.email}
						autoComplete="username"
						{...(way.kind === "invited" && { hint: field.invitedEmailHint })}
					/>
					<PasswordField
						{...validity("password")}
						name="password"
						label={field.password}
						hint={field.passwordHint}
						autoComplete="new-password"
						isBusy={attempt.isPending}
					/>
				</>
			)}
		</SentForm>
	);
}

/** A link for people who are already registered. */
function AlreadyRegistered({ way }: { way: Way }) {
	const { authUrl } = useSettings();
	const search = route.useSearch();
	const { register: words } = useTexts();
	return (
		<div className="mt-6 flex flex-wrap items-center gap-x-3 text-quiet">
			<span>{words.known}</span>
			{way.kind === "invited" ? (
				<Button
					kind="quiet"
					onClick={() => void redirectToSignIn(authUrl, { to: "/join", invitation: way.invitation })}
				>
					{words.acceptSignedIn}
				</Button>
			) : (
				<Link to="/login" search={search} className={buttonLook("quiet")}>
					{words.signIn}
				</Link>
			)}
		</div>
	);
}
