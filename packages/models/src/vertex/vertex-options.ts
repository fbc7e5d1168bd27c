import type { Renewed } from '../wire/provider-config.ts';

/** The name in replies and errors. */
export const VERTEX = 'vertex';

/** Options of `vertex`. */
export interface VertexOptions {
  /** The id of the project on Google Cloud. Default: the variable `GOOGLE_CLOUD_PROJECT`. */
  readonly project?: string;
  /** A region, `us`, `eu`, or `global`. Default: the variable `GOOGLE_CLOUD_LOCATION`, else `global`. */
  readonly location?: string;
  /**
   * A function that gives an access token, asked for each request. Default: the application default credentials, through the optional peer
   * `google-auth-library`, which keeps and renews them.
   */
  readonly accessToken?: Renewed<string>;
  /** Default: the address of the location, such as `https://europe-west1-aiplatform.googleapis.com`. */
  readonly baseUrl?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of every request body, in the words of the model's API; as `provider.extraBody` of other providers. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Tokens. Default: by the model's name. */
  readonly contextWindow?: number;
}

/** The options with what was found in the environment. */
export type VertexPlace = VertexOptions & Required<Pick<VertexOptions, 'project' | 'location' | 'accessToken'>>;
