import { SelectField, TextAreaField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopiedText } from "../../fields/copied-text.tsx";
import { textOf } from "../../forms/form-data.ts";
import { SaveForm } from "../../forms/save-form.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { readSecrets } from "../payments/read-secrets.ts";
import { SecretField } from "../payments/secret-field.tsx";
import { CredentialSection } from "./credentials.tsx";
import {
	type Gateway,
	type GatewayName,
	gatewayKey,
	gatewayQuery,
	gatewaySecrets,
	saveGateway,
} from "./gateway.queries.ts";
import { checkGateway } from "./gateway-form.ts";
import { useGatewayTexts } from "./texts.ts";

const names = ["mobile-money", "card-gateway"] as const;

/**
 * `/{slug}/platform/gateways`: the profiles of the two payment gateways, one at a time, and their secrets,
 * which are written only.
 */
export function GatewaysPage() {
	const words = useGatewayTexts();
	const [name, setName] = useState<GatewayName>("mobile-money");
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	const options = names.map((value) => ({ value, label: words.names[value] }));
	return (
		<Page title={words.title} lead={words.lead}>
			<div className="max-w-2xl">
				<SelectField
					name="gateway"
					label={words.gateway}
					options={options}
					value={name}
					onChange={({ target }) => setName(target.value as GatewayName)}
				/>
				<StoredGateway key={name} name={name} />
			</div>
		</Page>
	);
}

function StoredGateway({ name }: { name: GatewayName }) {
	const found = useQuery(gatewayQuery(usePlatform(), name));
	return (
		<Loaded query={found} isMain>
			{(stored) => (
				<>
					<GatewayForm key={JSON.stringify(stored)} name={name} stored={stored} />
					<CredentialSection name={name} stored={stored} />
				</>
			)}
		</Loaded>
	);
}

/** The request of a form; what is empty is not sent. */
function readGateway(entered: FormData, name: GatewayName): object {
	const texts = ["environment", "base_url", "certificate"]
		.map((field) => [field, textOf(entered, field)])
		.filter(([, value]) => value !== "");
	return { ...Object.fromEntries(texts), secrets: readSecrets(entered, gatewaySecrets[name]) };
}

function GatewayForm({ name, stored }: { name: GatewayName; stored: Gateway }) {
	const platform = usePlatform();
	const words = useGatewayTexts();
	const title = words.names[name];
	const environments = Object.entries(words.environments).map(([value, label]) => ({ value, label }));
	return (
		<>
			{stored.webhook_url !== undefined && <CopiedText label={words.webhookUrl} text={stored.webhook_url} />}
			<SaveForm
				keptAs={name}
				texts={{ ...words, saved: words.saved(title) }}
				save={(entered) => saveGateway(platform, name, readGateway(entered, name))}
				invalidates={gatewayKey(name)}
				messages={words.errors}
				check={(entered) => checkGateway(entered, words.errors)}
			>
				{(field, isBusy) => (
					<>
						<SelectField
							{...field("environment")}
							label={words.environment}
							options={environments}
							defaultValue={stored.environment}
						/>
						<TextField
							{...field("base_url")}
							label={words.baseUrl}
							hint={words.baseUrlHint}
							defaultValue={stored.base_url ?? ""}
							maxLength={300}
							isOptional
						/>
						{stored.certificate !== undefined && (
							<TextAreaField
								{...field("certificate")}
								label={words.certificate}
								hint={words.certificateHint}
								defaultValue={stored.certificate ?? ""}
								isOptional
							/>
						)}
						{gatewaySecrets[name].map((secret) => (
							<SecretField
								key={secret}
								{...field(secret)}
								label={words.secrets[secret]}
								shown={stored.secrets[secret] ?? null}
								isBusy={isBusy}
							/>
						))}
					</>
				)}
			</SaveForm>
		</>
	);
}
