import type { AdminClient } from "@lango/contracts";
import { Notice } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { SaveForm } from "../../forms/save-form.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { checkClient } from "./check-client.ts";
import { changeClient, clientQuery, clientsKey, removeClient } from "./client.queries.ts";
import { ClientFields, readClient } from "./client-fields.tsx";
import { SecretNotice } from "./secret-notice.tsx";
import { useClientTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/clients/$clientId");

/** `/{slug}/platform/clients/{clientId}`: an application with its settings and secret; it can be deleted. */
export function ClientPage() {
	const { slug, clientId } = route.useParams();
	const client = useQuery(clientQuery(usePlatform(), clientId));
	const words = useClientTexts();
	const found = client.data;
	return (
		<>
			<BackLink to="/$slug/platform/clients" params={{ slug }}>
				{words.title}
			</BackLink>
			<Page
				title={found?.name ?? clientId}
				lead={words.oneLead}
				actions={found !== undefined && !found.built_in && <Remove client={found} slug={slug} />}
			>
				<Loaded query={client} isMain>
					{(one) => <Client key={one.client_id} client={one} />}
				</Loaded>
			</Page>
		</>
	);
}

function Client({ client }: { client: AdminClient }) {
	const words = useClientTexts();
	const format = useFormat();
	return (
		<div className="grid gap-5">
			{client.built_in && <Notice kind="warning">{words.builtInNotice}</Notice>}
			<div className="grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
				<Card title={words.settings}>
					<ChangeForm client={client} />
				</Card>
				<div className="grid gap-5 max-xl:-order-1">
					<Card title={words.facts}>
						<Details>
							<Detail label={words.clientId}>
								<span className="font-mono">{client.client_id}</span>
							</Detail>
							<Detail label={words.kind}>{client.public ? words.isPublic : words.confidential}</Detail>
							<Detail label={words.since}>{format.time(client.created_at)}</Detail>
						</Details>
					</Card>
					{!client.public && <SecretCard clientId={client.client_id} name={client.name} />}
				</div>
			</div>
		</div>
	);
}

function ChangeForm({ client }: { client: AdminClient }) {
	const platform = usePlatform();
	const words = useClientTexts();
	const { client_id: clientId, public: isPublic } = client;
	return (
		<SaveForm
			texts={words}
			save={(entered) => changeClient(platform, { clientId, change: readClient(entered, isPublic) })}
			invalidates={clientsKey}
			messages={words.errors}
			fieldMessages={words.fieldErrors}
			check={(entered) =>
				checkClient(readClient(entered, isPublic), { isPublic, inputErrors: words.inputErrors })
			}
		>
			{(field) => <ClientFields now={client} isPublic={isPublic} field={field} />}
		</SaveForm>
	);
}

/** The client secret. It cannot be read again; a lost one is rotated. */
function SecretCard({ clientId, name }: { clientId: string; name: string }) {
	const platform = usePlatform();
	const words = useClientTexts();
	const [secret, setSecret] = useState<string>();
	return (
		<Card title={words.secret}>
			<p className="mb-4 text-quiet">{words.secretLead}</p>
			<div className="grid justify-items-start gap-4" aria-live="polite">
				{secret !== undefined && <SecretNotice secret={secret} />}
				<ConfirmButton
					texts={words.rotate}
					isDestructive
					name={name}
					asksByName
					action={async () => {
						const changed = await changeClient(platform, { clientId, change: { new_secret: true } });
						setSecret(changed.client_secret);
					}}
					messages={words.errors}
				/>
			</div>
		</Card>
	);
}

function Remove({ client: { client_id, name }, slug }: { client: AdminClient; slug: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useClientTexts();
	return (
		<ConfirmButton
			texts={words.remove}
			isDestructive
			name={name}
			asksByName
			action={() => removeClient(platform, client_id)}
			redirect={() => navigate({ to: "/$slug/platform/clients", params: { slug } })}
			onDone={() => queries.removeQueries({ queryKey: [...clientsKey, "one", client_id] })}
			invalidates={clientsKey}
			messages={words.errors}
		/>
	);
}
