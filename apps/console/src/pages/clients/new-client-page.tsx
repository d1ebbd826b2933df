import { buttonLook, ChoiceField, Notice, TextField } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDialogTexts } from "../../dialogs/texts.ts";
import { textOf } from "../../forms/form-data.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { Page } from "../../layout/page.tsx";
import { usePlatform } from "../../platform.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { checkClient } from "./check-client.ts";
import { clientsKey, registerClient, type WithSecret } from "./client.queries.ts";
import { ClientFields, readClient } from "./client-fields.tsx";
import { SecretNotice } from "./secret-notice.tsx";
import { useClientTexts } from "./texts.ts";

/** `/{slug}/platform/new-client`: registers an application. A secret is shown once. */
export function NewClientPage() {
	const words = useClientTexts();
	const [made, setMade] = useState<WithSecret>();
	if (made !== undefined) return <Registered client={made} />;
	return (
		<Page title={words.newTitle} lead={words.newLead}>
			<div className="max-w-2xl">
				<NewClientForm onMade={setMade} />
			</div>
		</Page>
	);
}

function NewClientForm({ onMade }: { onMade: (client: WithSecret) => void }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const slug = useSlug();
	const words = useClientTexts();
	const { cancel } = useDialogTexts();
	const [kind, setKind] = useState("public");
	const isPublic = kind === "public";
	const read = (entered: FormData) => ({
		client_id: textOf(entered, "client_id"),
		public: isPublic,
		...readClient(entered, isPublic),
	});
	const attempt = useMutation({
		mutationFn: (entered: FormData) => registerClient(platform, read(entered)),
		onSuccess: async (client) => {
			onMade(client);
			await queries.invalidateQueries({ queryKey: clientsKey });
		},
	});
	const kinds = [
		{ value: "public", label: words.isPublic, detail: words.publicDetail },
		{ value: "confidential", label: words.confidential, detail: words.confidentialDetail },
	];
	return (
		<SubmitForm
			submit={words.register}
			submitting={words.registering}
			isBusy={attempt.isPending}
			failure={attempt.error}
			messages={words.errors}
			fieldMessages={words.fieldErrors}
			check={(entered) => checkClient(read(entered), { isPublic, inputErrors: words.inputErrors })}
			onSubmit={(entered) => attempt.mutate(entered)}
			aside={
				<Link to="/$slug/platform/clients" params={{ slug }} className={buttonLook("plain")}>
					{cancel}
				</Link>
			}
		>
			{(field) => (
				<>
					<ChoiceField
						{...field("kind")}
						legend={words.kind}
						choices={kinds}
						value={kind}
						onChoose={setKind}
						isWide
					/>
					<TextField
						{...field("client_id")}
						label={words.clientId}
						hint={words.clientIdHint}
						maxLength={100}
					/>
					<ClientFields isPublic={isPublic} field={field} />
				</>
			)}
		</SubmitForm>
	);
}

function Registered({ client: { client_id, name, client_secret } }: { client: WithSecret }) {
	const slug = useSlug();
	const words = useClientTexts();
	return (
		<Page title={words.registered(name)}>
			<div className="grid max-w-2xl gap-5">
				{client_secret === undefined ? (
					<Notice kind="done">{words.registeredPublic(client_id)}</Notice>
				) : (
					<SecretNotice secret={client_secret} />
				)}
				<div className="flex flex-wrap gap-3">
					<Link
						to="/$slug/platform/clients/$clientId"
						params={{ slug, clientId: client_id }}
						className={buttonLook("action")}
					>
						{words.toClient}
					</Link>
					<Link to="/$slug/platform/clients" params={{ slug }} className={buttonLook("plain")}>
						{words.toClients}
					</Link>
				</div>
			</div>
		</Page>
	);
}
